package reports

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The two files of an evidence folder that a manifest cannot list: itself, and
// the signature over it.
const (
	ManifestFile    = "manifest.json"
	AttestationFile = "attestation.json"
)

// ManifestSchema is the first field of manifest.json.
const ManifestSchema = "oncecheck/manifest/v1"

// File is one file of an evidence folder.
type File struct {
	Path   string `json:"path"`   // relative to the folder, with slashes
	SHA256 string `json:"sha256"` // hex
	Size   int64  `json:"size"`   // bytes
}

type manifest struct {
	Schema string `json:"schema"`
	Files  []File `json:"files"`
}

// Difference is one way in which a folder is not what its manifest says.
type Difference struct {
	Path string `json:"path"`
	What string `json:"what"` // "changed", "missing" or "added", and how
}

func (d Difference) String() string { return d.Path + ": " + d.What }

// Manifest hashes every file of dir but the manifest and the attestation, in
// order of their paths. It fails on anything that is neither file nor folder: a
// link may point at something else tomorrow, so its hash would promise nothing.
func Manifest(dir string) ([]File, error) {
	files := []File{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if name == ManifestFile || name == AttestationFile {
			return nil
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is not a regular file", name)
		}
		file, err := hashFile(path, name)
		files = append(files, file)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("hash the files of %s: %w", dir, err)
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

func hashFile(path, name string) (File, error) {
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	return File{Path: name, SHA256: hex.EncodeToString(sum.Sum(nil)), Size: size}, err
}

// WriteManifest writes manifest.json over all that is in dir now.
func WriteManifest(dir string) error {
	files, err := Manifest(dir)
	if err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	err = appear(dir, ManifestFile, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(manifest{Schema: ManifestSchema, Files: files})
	})
	if err != nil {
		return fmt.Errorf("write the manifest of %s: %w", dir, err)
	}
	return nil
}

// VerifyManifest compares dir with its manifest.json and returns every
// difference in order of paths, none if all is as it was. The error is for a
// folder that cannot be compared at all.
func VerifyManifest(dir string) ([]Difference, error) {
	listed, err := readManifest(dir)
	if err != nil {
		return nil, fmt.Errorf("verify the manifest of %s: %w", dir, err)
	}
	present, err := Manifest(dir)
	if err != nil {
		return nil, err
	}
	found := make(map[string]File, len(present))
	for _, f := range present {
		found[f.Path] = f
	}
	differences := []Difference{}
	for _, want := range listed {
		got, ok := found[want.Path]
		delete(found, want.Path)
		switch {
		case !ok:
			differences = append(differences, Difference{want.Path, "missing"})
		case got.Size != want.Size:
			differences = append(differences, Difference{want.Path, fmt.Sprintf("changed: %d bytes, the manifest says %d", got.Size, want.Size)})
		case got.SHA256 != want.SHA256:
			differences = append(differences, Difference{want.Path, "changed: its SHA-256 is not that of the manifest"})
		}
	}
	for path := range found {
		differences = append(differences, Difference{path, "added: the manifest does not list it"})
	}
	slices.SortFunc(differences, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return differences, nil
}

// readManifest is strict: a manifest that says the same thing twice, or in a
// form nobody wrote, could be read in two ways.
func readManifest(dir string) ([]File, error) {
	data, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		return nil, err
	}
	var m manifest
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return nil, fmt.Errorf("read %s: %w", ManifestFile, located(data, err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: there is text after the document", ManifestFile)
	}
	if m.Schema != ManifestSchema {
		return nil, fmt.Errorf("read %s: schema %q, wanted %q", ManifestFile, m.Schema, ManifestSchema)
	}
	for i := 1; i < len(m.Files); i++ {
		if m.Files[i-1].Path >= m.Files[i].Path {
			return nil, fmt.Errorf("read %s: %q and %q are out of order or equal", ManifestFile, m.Files[i-1].Path, m.Files[i].Path)
		}
	}
	return m.Files, nil
}
