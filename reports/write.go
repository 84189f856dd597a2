package reports

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// Formats returns the names that [Write] and `--format` accept.
func Formats() []string { return []string{"json", "html", "markdown", "junit"} }

// Write renders the evidence into dir, which already holds history/, and then
// writes the manifest over all that is there. No formats means all of them;
// evidence.json is always written with its schema, for the other files are made
// from it, and so is created.json, for somebody has to clean up. Each file appears
// by rename, so that a reader never meets half of one.
func Write(dir string, e harness.Evidence, formats []string) error {
	if err := knownSchema(e.Schema); err != nil {
		return fmt.Errorf("write reports: %w", err)
	}
	wanted, err := selectFormats(formats)
	if err != nil {
		return fmt.Errorf("write reports: %w", err)
	}
	files := []struct {
		format, name string
		render       func(io.Writer) error
	}{
		{"json", SchemaFile, writeSchema},
		{"json", EvidenceFile, func(w io.Writer) error { return JSON(w, e) }},
		{"json", CreatedFile, func(w io.Writer) error { return WriteCreated(w, dir, e.Run) }},
		{"html", "report.html", func(w io.Writer) error { return HTML(w, e, HistoriesIn(dir)) }},
		{"markdown", "report.md", func(w io.Writer) error { return Markdown(w, e) }},
		{"junit", "junit.xml", func(w io.Writer) error { return JUnit(w, e) }},
	}
	err = harness.Parallel(len(files), func(i int) error { // two of them read every history
		if !wanted[files[i].format] {
			return nil
		}
		if err := appear(dir, files[i].name, files[i].render); err != nil {
			return fmt.Errorf("write %s into %s: %w", files[i].name, dir, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return WriteManifest(dir)
}

func selectFormats(formats []string) (map[string]bool, error) {
	if len(formats) == 0 {
		formats = Formats()
	}
	wanted := map[string]bool{"json": true}
	for _, f := range formats {
		if f == "md" {
			f = "markdown"
		}
		if !slices.Contains(Formats(), f) {
			return nil, fmt.Errorf("format %q is none of %s", f, strings.Join(Formats(), ", "))
		}
		wanted[f] = true
	}
	return wanted, nil
}

// HistoriesIn returns a function that opens the histories of a run folder by
// the paths that its evidence names. A path that leaves the folder is refused:
// evidence may come from a stranger.
func HistoriesIn(dir string) func(path string) (*harness.History, error) {
	return func(path string) (*harness.History, error) {
		local := filepath.FromSlash(path)
		if !filepath.IsLocal(local) {
			return nil, fmt.Errorf("history %q lies outside the evidence folder", path)
		}
		return harness.OpenHistory(filepath.Join(dir, local))
	}
}

// appear writes a file under another name and renames it once it is complete
// and on disk.
func appear(dir, name string, render func(io.Writer) error) (err error) {
	temp, err := os.CreateTemp(dir, "."+name+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = temp.Close()
			_ = os.Remove(temp.Name())
		}
	}()
	buffered := bufio.NewWriter(temp)
	if err = render(buffered); err != nil {
		return err
	}
	if err = buffered.Flush(); err != nil {
		return err
	}
	if err = temp.Chmod(0o644); err != nil {
		return err
	}
	if err = temp.Sync(); err != nil {
		return err
	}
	if err = temp.Close(); err != nil {
		return err
	}
	return os.Rename(temp.Name(), filepath.Join(dir, name))
}
