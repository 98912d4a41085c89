package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"

	"signet/internal/durable"
	"signet/internal/service"
)

// operatorFile tells clients on this machine how to reach the server as its
// operator. The one that is prepared is for an account that is yet to be made.
const (
	operatorFile = "operator.json"
	preparedFile = operatorFile + ".prepared"
)

// operators is where the accounts are that may do everything.
type operators interface {
	// HasOperator reports whether there is one, by whatever key.
	HasOperator(ctx context.Context) (bool, error)

	// CreateOperator makes one with an administrative key of this name and
	// secret. It returns nil too where one with this key is there, and
	// service.ErrOperatorExists where one with another key is.
	CreateOperator(ctx context.Context, key, secret string) error
}

// The fields of operator.json. Others, which somebody added, are kept.
const (
	fieldBaseURL = "base_url"
	fieldKey     = "api_key"
	fieldSecret  = "api_secret"
)

// introduceOperator makes the operator account where there is none, and tells
// operator.json where the server is. It returns the path of the file, or ""
// where it does not hold the credentials of the account: somebody took the file
// away, or another server on the same database made the account.
//
// The credentials are on disk before the account is made: after a crash in
// between, the next start makes the account with them. The other way round there
// would be an account to which nobody has the key. They lie in a file of their own
// until it is certain that they are those of the account, so that operator.json
// never holds others.
func introduceOperator(ctx context.Context, dir, baseURL string, accounts operators, log *slog.Logger) (string, error) {
	path, preparedPath := filepath.Join(dir, operatorFile), filepath.Join(dir, preparedFile)
	fields, err := readOperatorFile(path)
	if err != nil {
		// The server itself needs the file for its first start only.
		if exists, fault := accounts.HasOperator(ctx); fault != nil || !exists {
			return "", errors.Join(err, fault)
		}
		log.Warn("operator.json is of no use to this server, nor to commands on this machine; the server goes on", "error", err,
			"advice", "give it to the server's user, or run signet operator reset")
		return "", nil
	}
	prepared, err := readOperatorFile(preparedPath)
	if err != nil {
		return "", err
	}
	exists, err := accounts.HasOperator(ctx)
	if err != nil {
		return "", fmt.Errorf("look for an operator account: %w", err)
	}
	ours := !exists
	if !exists || prepared != nil {
		made, err := makeOperator(ctx, preparedPath, fields, prepared, accounts)
		switch {
		case err == nil:
			ours = true
			if fields == nil {
				fields = operatorFields{}
			}
			fields.set(fieldKey, made.text(fieldKey))
			fields.set(fieldSecret, made.text(fieldSecret))
		case !errors.Is(err, service.ErrOperatorExists):
			return "", err
		case !exists:
			log.Info("another server on the same database made the operator account; its credentials are in the data directory of that one")
			return "", os.Remove(preparedPath)
		default: // what was prepared is of no use any more
			if err := os.Remove(preparedPath); err != nil {
				return "", err
			}
		}
	}
	if fields == nil {
		log.Info("there is an operator account, whose credentials are not in the data directory", "missing", path)
		return "", nil
	}
	fields.set(fieldBaseURL, baseURL)
	err = fields.write(path)
	if errors.Is(err, syscall.ENOSPC) && !ours {
		log.Warn("operator.json says the base URL of the last start: there was no room to write it anew", "error", err)
		err = nil
	}
	if err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	if !ours {
		return path, nil
	}
	log.Info("made the operator account", "credentials", path)
	return path, os.Remove(preparedPath)
}

// makeOperator makes the operator account: with the credentials that operator.json
// holds, if it does, or those of a start that was interrupted, or new ones.
func makeOperator(ctx context.Context, preparedPath string, given, prepared operatorFields, accounts operators) (operatorFields, error) {
	made := operatorFields{}
	key, secret := service.NewCredentials()
	for _, earlier := range []operatorFields{prepared, given} {
		if k, s := earlier.text(fieldKey), earlier.text(fieldSecret); k != "" && s != "" {
			key, secret = k, s
		}
	}
	made.set(fieldKey, key)
	made.set(fieldSecret, secret)
	if err := made.write(preparedPath); err != nil {
		return nil, fmt.Errorf("write %s: %w", preparedPath, err)
	}
	if err := accounts.CreateOperator(ctx, key, secret); err != nil {
		return nil, fmt.Errorf("make the operator account: %w", err)
	}
	return made, nil
}

// operatorFields is the content of operator.json; nil is no file.
type operatorFields map[string]json.RawMessage

func readOperatorFile(path string) (operatorFields, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the operator's credentials: %w", err)
	}
	fields := operatorFields{}
	if err := json.Unmarshal(content, &fields); err != nil || fields == nil {
		return nil, fmt.Errorf("%s is not a JSON object; restore it, or move it away", path)
	}
	return fields, nil
}

// text returns a field, or "" where it is missing or no text.
func (f operatorFields) text(name string) string {
	var s string
	_ = json.Unmarshal(f[name], &s)
	return s
}

func (f operatorFields) set(name, text string) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // an ampersand in a URL stays readable
	_ = encoder.Encode(text)     // a string has no way to fail
	f[name] = bytes.TrimSpace(b.Bytes())
}

// write replaces the file.
func (f operatorFields) write(path string) error {
	staged, err := f.stage(path)
	if err != nil {
		return err
	}
	return errors.Join(staged.Commit(), staged.Discard())
}

// stage writes what is to become the file beside it: it is on disk, and neither a client
// nor a crash finds half of it.
func (f operatorFields) stage(path string) (*durable.File, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(f); err != nil {
		return nil, err
	}
	return stage(path, b.Bytes())
}

// stage writes a file of the data directory beside its place. It belongs to the owner of
// the directory, where the administrator does what else the server's user does.
func stage(path string, text []byte) (*durable.File, error) {
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
