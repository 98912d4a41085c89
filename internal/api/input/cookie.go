package input

import (
	"net/http"
	"strings"

	"signet/internal/model"
)

// keyName is how many characters the name of a key has.
const keyName = 22

// FormatSession writes the value of a session's cookie: the key and its secret, which are of
// letters and digits.
func FormatSession(key, secret string) string { return key + "." + secret }

// ParseSession reads the cookie of a session of the headers of a request. sent reports
// whether there is a cookie called name. Key and secret are empty where FormatSession did not
// write its value: an old one, one of two, or what somebody put in its place.
func ParseSession(h http.Header, name string) (key, secret string, sent bool) {
	r := http.Request{Header: http.Header{"Cookie": h["Cookie"]}}
	found := r.CookiesNamed(name)
	if len(found) != 1 || found[0].Quoted {
		return "", "", len(found) > 0
	}
	key, secret, _ = strings.Cut(found[0].Value, ".")
	if len(key) != keyName || strings.Trim(key, model.Base62) != "" || !strings.HasPrefix(secret, model.SecretPrefix) ||
		model.MalformedSecret(secret) || !writtenPlainly(h["Cookie"], name+"="+found[0].Value) {
		return "", "", true
	}
	return key, secret, true
}

// writtenPlainly reports whether a cookie stands in a header as browsers write it. The
// standard library drops blanks within: "__Host-x =v" is no cookie that a browser has
// guarded by its prefix.
func writtenPlainly(lines []string, cookie string) bool {
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ";") {
			if strings.TrimLeft(part, " ") == cookie {
				return true
			}
		}
	}
	return false
}
