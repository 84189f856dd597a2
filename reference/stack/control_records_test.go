package stack

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/oncecheck/oncecheck/reference/store"
)

// TestRecordsAreReadFromTheFile: what the control port tells of a request is what
// the store holds, and the files of the profile's pattern hold it.
func TestRecordsAreReadFromTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a [shop]*.db")
	r := start(t, Options{Command: command(roleReal), Store: "sqlite:" + path})
	status, body := r.checkout("key-1", "cart-1")
	if status != http.StatusCreated {
		t.Fatalf("checkout answered %d %s\n%s", status, body, r.log)
	}
	var made struct{ RequestID string }
	if err := json.Unmarshal(body, &made); err != nil {
		t.Fatal(err)
	}
	var record store.Inspected
	if status := r.call("GET", r.ControlURL+"/records/"+made.RequestID, nil, &record); status != http.StatusOK {
		t.Fatalf("the record: status %d", status)
	}
	if record.Key != "key-1" || record.State != "SUCCEEDED" || record.Response != string(body) || len(record.Attempts) != 3 || len(record.Unique) != 5 {
		t.Errorf("the record is %+v, the answer was %s", record, body)
	}
	if status := r.call("GET", r.ControlURL+"/records/unknown", nil, nil); status != http.StatusNotFound {
		t.Errorf("a record that is not there: status %d", status)
	}
	files, err := filepath.Glob((&supervisor{at: store.Location{File: path}}).storeFiles())
	if err != nil || len(files) < 2 || files[0] != path {
		t.Errorf("the store's files are %v, %v", files, err)
	}
}
