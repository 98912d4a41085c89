package home

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"signet/internal/durable"
)

// OperatorFile tells clients on this machine how to reach the server as its operator.
const OperatorFile = "operator.json"

// The fields of operator.json. Others, which a person added, are kept.
const (
	FieldBaseURL = "base_url"
	FieldKey     = "api_key"
	FieldSecret  = "api_secret"
)

// Credentials is the content of operator.json; nil is no file.
type Credentials map[string]json.RawMessage

// ReadCredentials reads the file; nil where there is none.
func ReadCredentials(path string) (Credentials, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the operator's credentials: %w", err)
	}
	fields := Credentials{}
	if err := json.Unmarshal(content, &fields); err != nil || fields == nil {
		return nil, fmt.Errorf("%s is not a JSON object; restore it, or move it away", path)
	}
	return fields, nil
}

// Text returns a field, or "" where it is missing or no text.
func (f Credentials) Text(name string) string {
	var s string
	_ = json.Unmarshal(f[name], &s)
	return s
}

// Set sets a field.
func (f Credentials) Set(name, text string) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // an ampersand in a URL stays readable
	_ = encoder.Encode(text)     // a string has no way to fail
	f[name] = bytes.TrimSpace(b.Bytes())
}

// Write replaces the file.
func (f Credentials) Write(path string) error {
	staged, err := f.Stage(path)
	if err != nil {
		return err
	}
	return errors.Join(staged.Commit(), staged.Discard())
}

// Stage writes what is to become the file beside it: it is on disk, and neither a client
// nor a crash finds half of it.
func (f Credentials) Stage(path string) (*durable.File, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(f); err != nil {
		return nil, err
	}
	return Stage(path, b.Bytes())
}

// Stage writes a file of the data directory beside its place. It belongs to the owner of
// the directory, where the administrator does what else the server's user does.
func Stage(path string, text []byte) (*durable.File, error) {
	f, err := durable.New(path)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.GiveTo(filepath.Dir(path)), f.Close()); err != nil {
		return nil, errors.Join(err, f.Discard())
	}
	return f, nil
}

// remainsAge is after how long no command is still writing a file.
const remainsAge = time.Hour

// ClearRemains removes from a data directory what commands that were killed more than an
// hour ago left of an operator's file: it may hold a key.
func ClearRemains(dir string) error {
	paths, err := durable.Unfinished(dir)
	for _, path := range paths {
		if !strings.HasPrefix(filepath.Base(path), "operator") {
			continue
		}
		info, fault := os.Lstat(path)
		if fault == nil && time.Since(info.ModTime()) > remainsAge {
			fault = os.Remove(path)
		}
		if !errors.Is(fault, fs.ErrNotExist) { // what is gone has been finished
			err = errors.Join(err, fault)
		}
	}
	return err
}
