package reports

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

type createdList struct {
	Schema     string
	Run        string
	Created    []Created
	Unreadable []string
}

func created(t *testing.T, dir string) (list createdList) {
	t.Helper()
	text := render(t, func(w io.Writer) error { return WriteCreated(w, dir, harness.RunInfo{ID: `run-"1"`}) })
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	if list.Schema != CreatedSchema || list.Run != `run-"1"` || list.Created == nil || list.Unreadable == nil {
		t.Errorf("schema %q, run %q, created %v, unreadable %v", list.Schema, list.Run, list.Created, list.Unreadable)
	}
	return list
}

// leftovers is an experiment that leaves something in every way there is.
func leftovers() *tape {
	tp := &tape{scenario: "x/leftovers"}
	answer := func(label, op, who string, keys []string, t harness.EventType, a *harness.Answer) {
		r := harness.Request{Operation: "checkout", Principal: who, Keys: keys, Reference: "cart-" + label, Amount: 42, CorrelationID: "corr-" + label}
		if op == "status" {
			r.Operation = harness.OpStatus
		}
		tp.add(ms, label, harness.Event{Type: harness.Invoke, Op: label + op, Request: &r})
		problem := ""
		if a == nil {
			problem = "no answer"
		}
		if t != "" {
			tp.add(2*ms, label, harness.Event{Type: t, Op: label + op, Request: &r, Answer: a, Error: problem})
		}
	}
	success := &harness.Answer{Status: 201, RequestID: "r1", OrderID: "o1"}
	answer("twice", "1", "alice", []string{"k"}, harness.OK, success)
	answer("twice", "2", "alice", []string{"k"}, harness.OK, success)
	answer("twice", "3", "bob", []string{"k"}, harness.OK, &harness.Answer{Status: 201, RequestID: "r2"})
	answer("twice", "status", "bob", nil, harness.OK, &harness.Answer{Status: 200, RequestID: "r9"})
	tp.effect(3*ms, "twice", "charge", "ch-1", 7)
	answer("refused", "1", "alice", []string{"k2"}, harness.OK, &harness.Answer{Status: 400})
	answer("lost", "1", "alice", []string{"k3"}, harness.Info, nil)
	answer("lost", "2", "alice", []string{"k3"}, harness.Failure, nil)
	answer("resolved", "1", "alice", []string{"k4"}, harness.Info, nil)
	answer("resolved", "2", "alice", []string{"k4"}, harness.OK, &harness.Answer{Status: 202, RequestID: "r3"})
	answer("never-sent", "1", "alice", []string{"k5"}, harness.Failure, nil)
	answer("keyless", "1", "alice", nil, harness.OK, &harness.Answer{Status: 201, OrderID: "o4"})
	answer("keyless", "2", "alice", nil, "", nil)
	return tp
}

func TestCreatedListsWhatWasLeft(t *testing.T) {
	dir := t.TempDir()
	leftovers().write(t, dir)
	late := &tape{scenario: harness.AftermathID}
	late.scenario = "x/leftovers" // effects carry the case's id
	late.effect(9*ms, "refused", "charge", "ch-9", 9)
	late.scenario = harness.AftermathID
	late.write(t, dir)
	var got []string
	for _, c := range created(t, dir).Created {
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(data))
	}
	want := []string{
		`{"case":"x/leftovers/twice","reference":"cart-twice","correlationId":"corr-twice","amount":42,"requests":[{"principal":"alice","operation":"checkout","keys":["k"],"requestId":"r1","orderId":"o1"},{"principal":"bob","operation":"checkout","keys":["k"],"requestId":"r2"}],"effects":[{"seq":7,"kind":"charge","id":"ch-1"}]}`,
		`{"case":"x/leftovers/refused","reference":"cart-refused","correlationId":"corr-refused","amount":42,"requests":[],"effects":[{"seq":9,"kind":"charge","id":"ch-9"}]}`,
		`{"case":"x/leftovers/lost","reference":"cart-lost","correlationId":"corr-lost","amount":42,"requests":[{"principal":"alice","operation":"checkout","keys":["k3"],"unknown":true}],"effects":[]}`,
		`{"case":"x/leftovers/resolved","reference":"cart-resolved","correlationId":"corr-resolved","amount":42,"requests":[{"principal":"alice","operation":"checkout","keys":["k4"],"requestId":"r3"}],"effects":[]}`,
		`{"case":"x/leftovers/keyless","reference":"cart-keyless","correlationId":"corr-keyless","amount":42,"requests":[{"principal":"alice","operation":"checkout","keys":[],"orderId":"o4"},{"principal":"alice","operation":"checkout","keys":[],"unknown":true}],"effects":[]}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A run that was killed leaves half a history: what it shows is listed, and that
// there may be more.
func TestCreatedNamesWhatItCannotRead(t *testing.T) {
	dir := t.TempDir()
	leftovers().write(t, dir)
	whole := harness.HistoryFile(dir, "x/leftovers")
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	put(t, whole+".partial", string(data[:len(data)/2]))
	if err := os.Remove(whole); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "history", "broken.jsonl"), "{")
	list := created(t, dir)
	if len(list.Created) == 0 || strings.Join(list.Unreadable, " ") != "history/broken.jsonl history/x.leftovers.jsonl.partial" {
		t.Errorf("%d created, unreadable %v", len(list.Created), list.Unreadable)
	}
	if list := created(t, t.TempDir()); len(list.Created) != 0 || len(list.Unreadable) != 0 {
		t.Errorf("an empty folder: %+v", list)
	}
}
