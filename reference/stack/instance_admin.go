package stack

import (
	"encoding/json"
	"net/http"
)

// adminHandler is for the supervisor:
//
//	GET /healthz        204
//	PUT /dependencies   {"payment": URL, "bank": URL, "inventory": URL, "orders": URL, "catalog": URL}: 204 when
//	                    calls that start later go there
//	PUT /settings       [Settings]: 204 when they hold
//	GET /settings       200, those that hold, and "now" by the instance's clock
//	PUT /crash          [Crash]: 204 when it is armed
//	GET /crash          200, what is armed
//	GET /metrics        200, in Prometheus text form
func (p parts) adminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.Handle("GET "+pathMetrics, p.metrics)
	mux.HandleFunc("GET "+pathSettings, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, p.state()) })
	mux.HandleFunc("PUT "+pathSettings, func(w http.ResponseWriter, r *http.Request) {
		var s Settings
		err := decodeAdmin(w, r, &s)
		if err == nil {
			err = p.apply(s)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET "+pathCrash, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, p.crash.told()) })
	mux.HandleFunc("PUT "+pathCrash, func(w http.ResponseWriter, r *http.Request) {
		var c Crash
		if err := decodeAdmin(w, r, &c); err != nil {
			http.Error(w, "the body is not a JSON object that names a point", http.StatusBadRequest)
			return
		}
		p.crash.arm(c)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("PUT "+pathDependencies, func(w http.ResponseWriter, r *http.Request) {
		var urls map[string]string
		if err := decodeAdmin(w, r, &urls); err != nil {
			http.Error(w, "the body is not a JSON object of base URLs by dependency", http.StatusBadRequest)
			return
		}
		for _, name := range dependencyNames() {
			if urls[name] == "" {
				http.Error(w, "there is no base URL for "+name, http.StatusBadRequest)
				return
			}
		}
		p.checkout.Redirect(urls)
		p.gateway.Redirect(urls[catalog])
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}

func decodeAdmin(w http.ResponseWriter, r *http.Request, into any) error {
	return json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(into)
}
