package stack

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// defaultLease is for whoever names none, a person with curl perhaps.
const defaultLease = time.Minute

// processRequest is the body of an order about processes.
type processRequest struct {
	Instance string `json:"instance"`
	LeaseMs  *int64 `json:"leaseMs"`
}

func (p processRequest) check(do string) (lease time.Duration, err error) {
	leased := do == orderKill || do == orderPause
	switch longest := maxLease.Milliseconds(); {
	case p.Instance != "*":
		return 0, fmt.Errorf("%s of instance %q: they are only acted on all together; say \"*\"", do, p.Instance)
	case p.LeaseMs == nil:
		return defaultLease, nil
	case !leased:
		return 0, fmt.Errorf("%s: it takes no leaseMs, since it lasts", do)
	case *p.LeaseMs < 1 || *p.LeaseMs > longest:
		return 0, fmt.Errorf("%s: leaseMs is %d, it has to be 1 to %d", do, *p.LeaseMs, longest)
	}
	return time.Duration(*p.LeaseMs) * time.Millisecond, nil
}

// postOrder gives all instances an order and tells what became of it.
func (s *supervisor) postOrder(do string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var ask processRequest
		err := readJSON(w, r, &ask)
		var lease time.Duration
		if err == nil {
			lease, err = ask.check(do)
		}
		if err != nil {
			writeError(w, http.StatusBadRequest, err)
			return
		}
		outcomes := make([]outcome, len(s.instances))
		var all sync.WaitGroup
		for i, in := range s.instances {
			all.Go(func() { outcomes[i] = in.order(r.Context(), do, lease) })
		}
		all.Wait()
		status, answer := tell(do, outcomes)
		writeJSON(w, status, answer)
	}
}

// tell lists the processes that an order met.
func tell(do string, outcomes []outcome) (status int, answer map[string]any) {
	lists := map[string][]string{orderRestart: {"killed", "started"}, orderKill: {"killed"},
		orderStart: {"started"}, orderPause: {"paused"}, orderResume: {"resumed"}}[do]
	status, answer = http.StatusOK, map[string]any{}
	for _, list := range lists {
		pids := []int{}
		for _, o := range outcomes {
			if pid := map[string]int{"killed": o.killed, "started": o.started, "paused": o.paused, "resumed": o.resumed}[list]; pid != 0 {
				pids = append(pids, pid)
			}
		}
		answer[list] = pids
	}
	for _, o := range outcomes {
		if o.err != nil {
			status, answer["error"] = http.StatusServiceUnavailable, o.err.Error()
		}
	}
	return status, answer
}
