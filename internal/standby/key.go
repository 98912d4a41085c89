package standby

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// leastKey is how long a key has to be, in characters: 32 of a random text in base64 are 192 bits.
const leastKey = 32

// ReadKey returns the secret that both servers have, from where the setting standby.key says: file:PATH,
// or env:NAME for a variable. Blanks around it are no part of it. Its errors repeat nothing of it.
func ReadKey(where string, variable func(string) string) (string, error) {
	way, name, _ := strings.Cut(where, ":")
	var text string
	switch way {
	case "file":
		content, err := os.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("standby.key: %w", err)
		}
		text = string(content)
	case "env":
		text = variable(name)
	default:
		return "", errors.New("standby.key: want file:PATH or env:NAME")
	}
	if text = strings.TrimSpace(text); len(text) < leastKey {
		return "", fmt.Errorf("standby.key: want at least %d random characters at %s, the same on both servers", leastKey,
			where)
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", fmt.Errorf("standby.key: want one line of printable ASCII at %s", where)
	}
	return text, nil
}

const bearer = "Bearer "

// authorize gives a request the key.
func authorize(r *http.Request, key string) { r.Header.Set("Authorization", bearer+key) }

// authorized reports whether a request has the key. The time that it takes tells nothing of it.
func authorized(r *http.Request, key string) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), bearer)
	got, want := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(key))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && ok
}
