package config

import (
	"net/url"
	"strings"
)

// hidden stands where a secret is.
const hidden = "***"

// HideSecrets returns what a setting names, for people to see: of addresses, which
// may be several, separated by commas, without passwords and what else signs in. What
// cannot be read as an address, and may hold a secret, is hidden as a whole.
func HideSecrets(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	if shown, ok := hideIn(text); ok {
		return shown
	}
	// Several addresses: also PostgreSQL's of several hosts are one, and were read above.
	parts := strings.Split(text, ",")
	for i, part := range parts {
		shown, ok := hideIn(strings.TrimSpace(part))
		if !ok {
			return hidden
		}
		parts[i] = shown
	}
	return strings.Join(parts, ",")
}

// hideIn is HideSecrets for one address; ok is false where it cannot be read as one.
func hideIn(text string) (shown string, ok bool) {
	scheme, rest, found := strings.Cut(text, "://")
	if !found || strings.Contains(rest, "://") && !strings.Contains(rest, "?") {
		return "", false
	}
	// url.Parse takes no list of hosts with ports, which PostgreSQL has: what is before
	// the last @ of the authority is all that may hold a secret.
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, rest := rest[:end], rest[end:]
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		user, _, secret := strings.Cut(authority[:at], ":")
		switch {
		case secret:
			user += ":" + hidden
		case scheme == "nats" || scheme == "tls": // alone it may be a token
			user = hidden
		}
		authority = user + authority[at:]
	}
	path, query, asked := strings.Cut(rest, "?")
	if strings.Contains(path, "@") { // a password with a slash that was not encoded
		return "", false
	}
	if asked {
		parameters := strings.Split(query, "&")
		for i, parameter := range parameters {
			name, _, _ := strings.Cut(parameter, "=")
			if plain, err := url.QueryUnescape(name); err != nil || signsIn(plain) {
				parameters[i] = name + "=" + hidden
			}
		}
		path += "?" + strings.Join(parameters, "&")
	}
	return scheme + "://" + authority + path, true
}

// signsIn reports whether the parameter of an address is a secret by its name. Of a
// file the name is none.
func signsIn(name string) bool {
	name = strings.ToLower(name)
	if name == "sslkey" || name == "passfile" {
		return false
	}
	for _, part := range []string{"pass", "secret", "token", "key", "credential"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
