package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/oncecheck/oncecheck/harness/observe"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// writable refuses a file that would be overwritten before anything is sent.
func (f initFlags) writable() error {
	info, err := os.Stat(f.out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return refuse(fmt.Errorf("write the profile: %w", err), "")
	case info.IsDir():
		return refuse(fmt.Errorf("write the profile: %s is a folder", f.out), "name a file by -o")
	case !f.force:
		return refuse(fmt.Errorf("%s exists: nothing is overwritten", f.out), "name another file by -o, or say --force")
	}
	probe, err := os.CreateTemp(filepath.Dir(f.out), ".writable-*")
	if err != nil {
		return refuse(fmt.Errorf("write the profile: %w", err), "name a file in a folder that can be written to by -o")
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// write puts the profile and, beside it, the schema. What cannot be loaded again
// is not written: a profile that does not work is worse than none. One of another
// machine is refused until its owner agrees, so it is not loaded.
func (f initFlags) write(found observe.Findings, secrets map[string]string) error {
	text := found.Profile()
	if _, err := profile.Parse(f.out, text, lookup(secrets)); err != nil && (f.owned || !found.Options.Remote) {
		return fmt.Errorf("the profile that was learned cannot be read: %w", err)
	}
	for name, value := range secrets {
		if strings.Contains(string(text), value) && len(value) >= minSecret {
			return refuse(fmt.Errorf("the profile would contain the credential of %s", name), "is it part of --body or of --url, too?")
		}
	}
	schema, err := profile.Schema()
	if err != nil {
		return err
	}
	beside := filepath.Join(filepath.Dir(f.out), observe.SchemaFile)
	if old, err := os.ReadFile(beside); err == nil && !strings.Contains(string(old), `"title": "oncecheck profile"`) {
		return refuse(fmt.Errorf("%s exists and is no schema of profiles", beside), "move it away, or write the profile into another folder by -o")
	}
	if err := replaceFile(beside, schema); err != nil {
		return err
	}
	return replaceFile(f.out, text)
}

// minSecret is the shortest credential that is looked for: a shorter one occurs
// by chance.
const minSecret = 6

// replaceFile makes the file appear complete or not at all.
func replaceFile(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return refuse(fmt.Errorf("write %s: %w", path, err), "")
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Chmod(0o644), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return refuse(errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(file.Name())), "")
	}
	return nil
}
