package commandline

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Access is how a command that calls a server finds it, and the credentials of its calls.
// Each of these commands embeds it, as flags.
type Access struct {
	Data string `placeholder:"DIR" help:"Data directory of a server on this machine, whose operator.json has the credentials [SIGNET_DATA, default ./data]."`
}

// The variables that come before operator.json.
const (
	URLVariable    = "SIGNET_URL"
	keyVariable    = "SIGNET_API_KEY"
	secretVariable = "SIGNET_API_SECRET"
)

// Credentials are what a client is made of, as operator.json has them.
type Credentials struct {
	BaseURL string `json:"base_url"`
	Key     string `json:"api_key"`
	Secret  string `json:"api_secret"`

	Local bool `json:"-"` // the key is that of operator.json
}

// HasKey reports whether the environment has a key, or a part of one.
func HasKey(env Environment) bool {
	return env.Variable(keyVariable) != "" || env.Variable(secretVariable) != ""
}

// Credentials finds the server and the key: in the environment, and what is not there in
// operator.json. A URL that is not empty comes before both.
func (a *Access) Credentials(env Environment, url string) (Credentials, error) {
	given := Credentials{BaseURL: cmp.Or(url, env.Variable(URLVariable)), Key: env.Variable(keyVariable),
		Secret: env.Variable(secretVariable)}
	if (given.Key == "") != (given.Secret == "") {
		return given, fmt.Errorf("%s and %s go together: only one of them is set", keyVariable, secretVariable)
	}
	if given.BaseURL != "" && given.Key != "" {
		return given, nil
	}
	file, err := a.Operator(env)
	if err != nil {
		return given, err
	}
	if given.BaseURL == "" && file.BaseURL == "" {
		return given, fmt.Errorf("operator.json has no base_url: start the server once, or set %s", URLVariable)
	}
	given.BaseURL = cmp.Or(given.BaseURL, file.BaseURL)
	if given.Key == "" {
		given.Key, given.Secret, given.Local = file.Key, file.Secret, true
	}
	return given, nil
}

// Directory is the data directory of a server on this machine.
func (a *Access) Directory(env Environment) string {
	return cmp.Or(a.Data, env.Variable("SIGNET_DATA"), "data")
}

// Operator reads the credentials that a server on this machine left.
func (a *Access) Operator(env Environment) (Credentials, error) {
	path := filepath.Join(a.Directory(env), "operator.json")
	text, err := os.ReadFile(path)
	var found Credentials
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found, fmt.Errorf("no credentials: there is no %s; name the server's data directory with --data, or set %s, "+
			"%s and %s",
			path, URLVariable, keyVariable, secretVariable)
	case err != nil:
		return found, fmt.Errorf("read the credentials: %w", err)
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return found, fmt.Errorf("%s: %w", path, err)
	}
	if found.Key == "" || found.Secret == "" {
		return found, fmt.Errorf("%s has no api_key and api_secret", path)
	}
	return found, nil
}

// Environment is the environment of a command, as os.Environ gives it.
type Environment []string

// Variable returns a variable. Of two with one name the later counts, as it does for the
// processes of the operating system.
func (e Environment) Variable(name string) string {
	found := ""
	for _, entry := range e {
		if n, text, ok := strings.Cut(entry, "="); ok && n == name {
			found = text
		}
	}
	return found
}
