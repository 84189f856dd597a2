package stack

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// maxLease bounds how long a run that died can keep a stack to itself.
const maxLease = 10 * time.Minute

type attachRequest struct {
	Dependencies map[string]string `json:"dependencies"`
	LeaseMs      int64             `json:"leaseMs"`
}

type attachAnswer struct {
	Lease    string            `json:"lease"`
	Upstream map[string]string `json:"upstream"`
}

func (s *supervisor) postAttach(w http.ResponseWriter, r *http.Request) {
	var ask attachRequest
	err := readJSON(w, r, &ask)
	if err == nil {
		err = ask.check(s.links.own)
	}
	if err != nil {
		writeError(w, http.StatusBadRequest, err)
		return
	}
	id, err := s.links.attach(r.Context(), ask.Dependencies, time.Duration(ask.LeaseMs)*time.Millisecond)
	switch {
	case errors.Is(err, errAttached), errors.Is(err, errFixed):
		writeError(w, http.StatusConflict, err)
	case err != nil:
		writeError(w, http.StatusServiceUnavailable, err)
	default:
		writeJSON(w, http.StatusCreated, attachAnswer{Lease: id, Upstream: s.links.own})
	}
}

func (s *supervisor) postRenew(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("lease")
	length, err := s.links.renew(id)
	if err != nil {
		writeError(w, http.StatusNotFound, err)
		return
	}
	writeJSON(w, http.StatusOK, struct {
		Lease   string `json:"lease"`
		LeaseMs int64  `json:"leaseMs"`
	}{id, length.Milliseconds()})
}

func (s *supervisor) deleteLease(w http.ResponseWriter, r *http.Request) {
	if err := s.links.release(r.Context(), r.PathValue("lease")); err != nil {
		writeError(w, http.StatusNotFound, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// check refuses an attachment that names something else than our dependencies
// or would send calls off this machine.
func (a attachRequest) check(known map[string]string) error {
	if longest := maxLease.Milliseconds(); a.LeaseMs < 1 || a.LeaseMs > longest {
		return fmt.Errorf("attach: leaseMs is %d, it has to be 1 to %d; renew a lease to keep it longer", a.LeaseMs, longest)
	}
	if len(a.Dependencies) == 0 {
		return errors.New("attach: no dependency is named, so there is nothing to attach")
	}
	for _, name := range slices.Sorted(maps.Keys(a.Dependencies)) {
		if _, ok := known[name]; !ok {
			return fmt.Errorf("attach: unknown dependency %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		u, err := url.Parse(a.Dependencies[name])
		if err != nil || u.Scheme != "http" || u.Hostname() != "127.0.0.1" || u.Port() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return fmt.Errorf("attach %s: the address is not of the form http://127.0.0.1:PORT[/PATH]; calls never leave this machine", name)
		}
	}
	return nil
}
