package checkout

import (
	"context"

	"github.com/oncecheck/oncecheck/reference/client"
)

// journal makes every attempt of one call durable before it is sent, so that a
// crash cannot lose count and no call is made that nobody would know of.
type journal struct {
	ctx context.Context // of the call that it records
	w   *worker
	op  operation
}

// Began implements [client.Journal].
func (j *journal) Began(a client.Attempt) error {
	j.w.rec.AttemptCount++
	j.w.note(j.attempt(a))
	return j.w.save(j.ctx)
}

// Ended implements [client.Journal]. An answer is saved a moment later together
// with what it means.
func (j *journal) Ended(a client.Attempt) error {
	j.w.note(j.attempt(a))
	j.w.Log.Info("attempt", "requestId", j.w.rec.RequestID, "correlationId", j.w.rec.CorrelationID,
		"dependency", j.op.dependency, "operation", j.op.name, "run", j.w.rec.Run, "attempt", a.Number,
		"class", a.Class, "status", a.Status, "unknown", a.Unknown, "durationMs", a.End.Sub(a.Start).Milliseconds())
	if a.Class == client.Answered {
		return nil
	}
	return j.w.save(j.ctx)
}

func (j *journal) attempt(a client.Attempt) Attempt {
	return Attempt{
		Dependency:    j.op.dependency,
		Operation:     j.op.name,
		Run:           j.w.rec.Run,
		Number:        a.Number,
		Class:         string(a.Class),
		Status:        a.Status,
		Unknown:       a.Unknown,
		CorrelationID: j.w.rec.CorrelationID,
		StartedAt:     a.Start,
		EndedAt:       a.End,
	}
}
