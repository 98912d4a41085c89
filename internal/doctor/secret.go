package doctor

import (
	"net/url"
	"strings"
)

// leastSecret is how long a text is that is looked for: shorter ones stand in many words.
const leastSecret = 4

// hide takes out of a text what signs in somewhere. Parts keep secrets out of their errors by
// themselves; this is for what a driver or a library says.
func (e *examination) hide(text string) string {
	for _, secret := range e.secrets {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return strings.Join(strings.Fields(text), " ") // one line
}

// noteSecrets remembers what the settings and the environment hold.
func (e *examination) noteSecrets() {
	note := func(secret string) {
		if len(secret) >= leastSecret {
			e.secrets = append(e.secrets, secret)
			if written := url.QueryEscape(secret); written != secret {
				e.secrets = append(e.secrets, written)
			}
		}
	}
	cfg := e.Config
	for _, addresses := range []string{cfg.Database, cfg.Keyring, cfg.KeyringCopy, cfg.NATS, cfg.Blobs} {
		for address := range strings.SplitSeq(addresses, ",") {
			note(writtenPassword(address))
			u, err := url.Parse(strings.TrimSpace(address))
			if err != nil || u.Scheme == "" {
				continue
			}
			if password, ok := u.User.Password(); ok {
				note(password)
			} else if u.Scheme == "nats" || u.Scheme == "tls" { // alone it may be a token
				note(u.User.Username())
			}
			for name, values := range u.Query() {
				if strings.Contains(strings.ToLower(name), "password") || strings.Contains(strings.ToLower(name), "secret") {
					note(values[0])
				}
			}
		}
	}
	for _, name := range []string{"PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"} {
		if e.Getenv != nil {
			note(e.Getenv(name))
		}
	}
}

// writtenPassword is the password in an address as it is written there: some characters are escaped.
func writtenPassword(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	authority, _, _ := strings.Cut(rest, "/")
	_, password, _ := strings.Cut(authority[:max(strings.LastIndex(authority, "@"), 0)], ":")
	return password
}
