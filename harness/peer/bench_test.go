package peer_test

import (
	"bufio"
	"net/http"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// The nfr lane has thousands of connections at one peer; its own share of the
// machine must stay small.
func BenchmarkPlainAnswer(b *testing.B) {
	o := steps(b, harness.Step{Status: 200, Size: 1 << 10})
	b.SetParallelism(32)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		conn := dial(b, o.host())
		br := bufio.NewReader(conn)
		for pb.Next() {
			send(b, conn, get)
			resp, body, err := readAnswer(b, br, http.MethodGet)
			if err != nil || resp.StatusCode != 200 || len(body) != 1<<10 {
				b.Error(resp, len(body), err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

// One round is a crowd of connections that all wait for a silent peer, and leave.
func BenchmarkSilentCrowd(b *testing.B) {
	const crowd = 2000
	for b.Loop() {
		o := steps(b, harness.Step{Break: harness.BreakSilent})
		conns := make([]interface{ Close() error }, 0, crowd)
		for range crowd {
			conn := dial(b, o.host())
			send(b, conn, get)
			conns = append(conns, conn)
		}
		eventually(b, func() bool { return o.Requests() == crowd })
		for _, conn := range conns {
			conn.Close()
		}
		o.close(b)
	}
	b.ReportMetric(float64(crowd*b.N)/b.Elapsed().Seconds(), "connections/s")
}
