package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/oncecheck/oncecheck/harness"
)

// outFolder is where a run leaves what it learned. Until it is kept it can be
// discarded: a run that was refused leaves nothing behind.
type outFolder struct {
	dir     string
	created []string // folders that did not exist before, outermost first
	kept    bool
}

// openOut makes the folder, or makes sure that one which exists is empty and
// can be written to.
func openOut(dir string) (*outFolder, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, refuse(fmt.Errorf("make the output folder %s: %w", dir, err), "")
	}
	out := &outFolder{dir: dir}
	for at := absolute; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		out.created = append([]string{at}, out.created...)
	}
	if err := os.MkdirAll(absolute, 0o755); err != nil {
		out.discard() // the outer folders may be there already
		return nil, refuse(fmt.Errorf("make the output folder: %w", err), "choose a folder that can be made with --out")
	}
	entries, err := os.ReadDir(absolute)
	if err != nil {
		return nil, refuse(fmt.Errorf("read the output folder: %w", err), "choose another folder with --out")
	}
	if len(entries) > 0 {
		return nil, refuse(fmt.Errorf("the output folder %s is not empty: nothing is overwritten", dir), "choose another folder with --out, or leave it out for one of its own")
	}
	probe, err := os.CreateTemp(absolute, ".writable-*")
	if err != nil {
		out.discard()
		return nil, refuse(fmt.Errorf("write into the output folder: %w", err), "choose a folder that can be written to with --out")
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return nil, refuse(fmt.Errorf("write into the output folder: %w", err), "choose another folder with --out")
	}
	return out, nil
}

// keep says that the folder now holds a run.
func (o *outFolder) keep() { o.kept = true }

// discard removes what was made, unless the folder was kept. Folders are only
// removed while they are empty: whatever is in them is not ours.
func (o *outFolder) discard() {
	if o.kept {
		return
	}
	controls, _ := filepath.Glob(harness.HistoryFile(o.dir, harness.ControlID+"*")) // the pattern is well-formed
	for _, path := range append(controls, harness.PlanFile(o.dir), filepath.Join(o.dir, "history")) {
		_ = os.Remove(path) // what was never written is no loss
	}
	for i := len(o.created) - 1; i >= 0; i-- {
		_ = os.Remove(o.created[i]) // fails where somebody else put something
	}
}
