package stack

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
)

// The shapes of GET /info; the package comment describes them.
type (
	infoState struct {
		URL        string            `json:"url"`
		Instances  []instanceState   `json:"instances"`
		Upstreams  map[string]string `json:"upstreams"`
		Attachment *attachmentState  `json:"attachment,omitempty"`
		Log        string            `json:"log"`
	}
	instanceState struct {
		PID    int    `json:"pid"`
		Addr   string `json:"addr"`
		Deaths int    `json:"deaths"`
		Kept   string `json:"kept,omitempty"`
	}
	attachmentState struct {
		AgeMs        int64             `json:"ageMs"`
		ExpiresMs    int64             `json:"expiresMs"`
		Dependencies map[string]string `json:"dependencies"`
	}
)

// control serves the control API.
func (s *supervisor) control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /info", s.getInfo)
	for _, do := range []string{orderRestart, orderKill, orderStart, orderPause, orderResume} {
		mux.HandleFunc("POST /"+do, s.postOrder(do))
	}
	mux.HandleFunc("POST /attach", s.postAttach)
	mux.HandleFunc("POST /attach/{lease}/renew", s.postRenew)
	mux.HandleFunc("DELETE /attach/{lease}", s.deleteLease)
	mux.HandleFunc("PUT /clock", s.putClock)
	mux.HandleFunc("GET /clock", s.getClock)
	mux.HandleFunc("PUT /flags/{name}", s.putFlag)
	mux.HandleFunc("GET /flags/{name}", s.getFlag)
	mux.HandleFunc("PUT /store", s.putStore)
	mux.HandleFunc("GET /store", s.getStore)
	mux.HandleFunc("PUT /crash", s.putCrash)
	mux.HandleFunc("DELETE /crash", s.deleteCrash)
	mux.HandleFunc("GET /crash", s.getCrash)
	mux.HandleFunc("GET /metrics", s.getMetrics)
	mux.HandleFunc("GET /records/{requestId}", s.getRecord)
	mux.HandleFunc("GET /outbox", s.getOutbox)
	mux.HandleFunc("POST /webhooks", s.postWebhook)
	return localOnly(mux)
}

func (s *supervisor) getInfo(w http.ResponseWriter, _ *http.Request) {
	state := infoState{URL: s.url(), Upstreams: s.upstreams.urls, Attachment: s.links.attachment(), Log: s.logFile}
	for _, in := range s.instances {
		state.Instances = append(state.Instances, in.state())
	}
	writeJSON(w, http.StatusOK, state)
}

// localOnly refuses what a web page in a browser on this machine could send: a
// request through a rebound name, or one across origins.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if ip := net.ParseIP(host); r.Header.Get("Origin") != "" || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			writeError(w, http.StatusForbidden, errors.New("the control port serves programs on this machine only; call it by 127.0.0.1 and without Origin"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

const maxControlBody = 64 << 10

func readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxControlBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("read the JSON body of %s %s: %w", r.Method, r.URL.Path, err)
	}
	return nil
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only if the caller left
}

func writeError(w http.ResponseWriter, status int, err error) {
	writeJSON(w, status, map[string]string{"error": err.Error()})
}
