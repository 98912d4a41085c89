package input

import (
	"net/http"
	"strings"
	"testing"

	"signet/internal/model"
)

// FuzzParseSession: of all that a header may hold, only what FormatSession writes names a
// key, and it comes back as it was. Whatever else it is, it is none, and no panic.
func FuzzParseSession(f *testing.F) {
	key := strings.Repeat("k", keyName)
	secret := model.FormatSecret(strings.Repeat("s", model.SecretPayload))
	good := "signet-session=" + FormatSession(key, secret)
	for _, seed := range []string{
		good, good + "; " + good, good + "; other=1", "other=1; " + good, `signet-session="` + FormatSession(key, secret) + `"`,
		"__Host-" + good, "signet-session=", "signet-session", "=", ";", "signet-session=a.b", good + "x", good[:len(good)-1],
		"signet-session=" + key + "." + secret[4:], "signet-session=" + key + ":" + secret, "SIGNET-SESSION=" + key,
		good + "\x00", strings.ReplaceAll(good, "=", " = "), strings.Replace(good, "=", " =", 1),
		"signet-session=" + secret + "." + key,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		key, secret, sent := ParseSession(http.Header{"Cookie": {header}}, "signet-session")
		if (key == "") != (secret == "") || key != "" && !sent {
			t.Fatalf("%q: got the key %q, the secret %q, sent %t", header, key, secret, sent)
		}
		if key == "" {
			return
		}
		if strings.Count(header, "signet-session=") < 1 || !strings.Contains(header, FormatSession(key, secret)) {
			t.Errorf("%q: got %q and %q, which are not in it", header, key, secret)
		}
		written := http.Header{"Cookie": {"signet-session=" + FormatSession(key, secret)}}
		if k, s, _ := ParseSession(written, "signet-session"); k != key || s != secret {
			t.Errorf("%q and %q come back as %q and %q", key, secret, k, s)
		}
	})
}

func TestParseSession(t *testing.T) {
	key := model.RandomText(keyName)
	secret := model.FormatSecret(model.RandomText(model.SecretPayload))
	value := FormatSession(key, secret)
	for _, c := range []struct {
		name   string
		lines  []string
		opens  bool
		isSent bool
	}{
		{"alone", []string{"n=" + value}, true, true},
		{"among others", []string{"a=1; n=" + value + "; b=2"}, true, true},
		{"in another line", []string{"a=1", "n=" + value}, true, true},
		{"twice", []string{"n=" + value + "; n=" + value}, false, true},
		{"in two lines", []string{"n=" + value, "n=" + value}, false, true},
		{"quoted", []string{`n="` + value + `"`}, false, true},
		{"after a blank in its name", []string{"n =" + value}, false, true},
		{"cut", []string{"n=" + value[:len(value)-1]}, false, true},
		{"empty", []string{"n="}, false, true},
		{"another", []string{"N=" + value}, false, false},
		{"none", nil, false, false},
	} {
		k, s, sent := ParseSession(http.Header{"Cookie": c.lines}, "n")
		if sent != c.isSent || (k == key && s == secret) != c.opens || !c.opens && k+s != "" {
			t.Errorf("%s: got %q, %q, sent %t", c.name, k, s, sent)
		}
	}
}
