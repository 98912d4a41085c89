package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"

	"signet/internal/egress"
)

func notEmpty(s string) error {
	if strings.TrimSpace(s) == "" {
		return errors.New("must not be empty")
	}
	return nil
}

func anyText(string) error { return nil }

// logFormats are the values of log.format.
var logFormats = []string{"text", "json"}

func oneOf(words ...string) func(string) error {
	return func(s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("want one of %s, not %q", strings.Join(words, ", "), s)
		}
		return nil
	}
}

func hostPort(s string) error {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return fmt.Errorf("want HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080, not %q", s)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return fmt.Errorf("want a port from 0 to 65535, not %q", port)
	}
	return nil
}

// brandName bounds what pages show in one line.
func brandName(s string) error {
	if utf8.RuneCountInString(s) > 60 {
		return errors.New("want at most 60 characters")
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) || s != strings.TrimSpace(s) {
		return errors.New("want a text in one line, without blanks at its ends")
	}
	return nil
}

// optional lets a setting be empty.
func optional(check func(string) error) func(string) error {
	return func(s string) error {
		if s == "" {
			return nil
		}
		return check(s)
	}
}

// database leaves what a URL holds to PostgreSQL's own rules. Its text is in no
// message: it may hold a password.
func database(s string) error {
	if !isDatabase(s) {
		return errors.New("want the URL of a PostgreSQL database, such as postgres://signet@db.example.com/signet")
	}
	return nil
}

func isDatabase(s string) bool {
	return strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://")
}

// masterKey wants file:PATH or env:NAME.
func masterKey(s string) error {
	kind, rest, _ := strings.Cut(s, ":")
	switch {
	case kind == "file" && rest != "":
		return nil
	case kind != "env" || rest == "":
		return fmt.Errorf("want file:PATH or env:NAME, not %q", s)
	case strings.HasPrefix(rest, variablePrefix):
		return fmt.Errorf("want a variable whose name does not begin with %s, where every name is a setting's, not %q",
			variablePrefix, rest)
	}
	return nil
}

// keyring wants file:PATH or the URL of a database, which no message repeats.
func keyring(s string) error {
	if isDatabase(s) || strings.HasPrefix(s, "file:") && s != "file:" {
		return nil
	}
	return errors.New("want file:PATH or the URL of a PostgreSQL database, such as " +
		"postgres://signet@keys.example.com/keyring")
}

// natsServers wants addresses of NATS servers. Its text is in no message: it may hold
// a password.
func natsServers(s string) error {
	for server := range strings.SplitSeq(s, ",") {
		u, err := url.Parse(strings.TrimSpace(server))
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" || u.Path != "" || u.RawQuery != "" ||
			u.Fragment != "" {
			return errors.New("want URLs of NATS servers, such as nats://signet@nats.example.com:4222 or " +
				"tls://nats.example.com:4222, separated by commas")
		}
	}
	return nil
}

// natsLogin wants a kind of file and where it is.
func natsLogin(s string) error {
	kind, path, _ := strings.Cut(s, ":")
	if path != "" && slices.Contains([]string{"creds", "nkey", "token", "password"}, kind) {
		return nil
	}
	return errors.New("want creds:PATH, nkey:PATH, token:PATH or password:PATH; the secret itself belongs into the file")
}

// blobs leaves the details of a bucket's location to the package that opens it. No
// message repeats the location: it may hold a secret.
func blobs(s string) error {
	if strings.Contains(s, "://") && !strings.HasPrefix(s, "s3://") || s == "dir:" {
		return errors.New("want a directory, such as dir:/srv/signet/blobs, or a bucket, such as " +
			"s3://signet?endpoint=s3.example.com")
	}
	return nil
}

func baseURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return fmt.Errorf("want a URL such as https://messages.example.com, not %q", s)
	case u.User != nil, u.RawQuery != "", u.ForceQuery, u.Fragment != "", strings.HasSuffix(s, "#"):
		return fmt.Errorf("want a URL without user, query and fragment, not %q", s)
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/v2"):
		return fmt.Errorf("leave out the final /v2 of %q: the server adds it", s)
	}
	return nil
}

// FromBucket is the setting standby_of of a standby that follows by standby.bucket.
const FromBucket = "bucket"

// ByBucket reports whether this server follows another one by a bucket.
func (c *Config) ByBucket() bool { return c.StandbyOf == FromBucket }

// standbyOf wants a URL, or the word.
func standbyOf(s string) error {
	if s == FromBucket {
		return nil
	}
	if err := standbyURL(s); err != nil {
		return fmt.Errorf("%w; or the word %s, with standby.bucket", err, FromBucket)
	}
	return nil
}

// standbyBucket leaves the details to the package that opens it, and repeats nothing, as blobs.
func standbyBucket(s string) error {
	if !strings.HasPrefix(s, "s3://") {
		return errors.New("want a bucket, such as s3://signet-standby?endpoint=s3.example.com")
	}
	return nil
}

// standbyURL wants the address of a server of a pair, without a path.
func standbyURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("want the URL of the other server's standby.listen, such as https://one.example.com:8443")
	}
	return nil
}

// standbyKey wants file:PATH or env:NAME, and repeats nothing: it may be the secret itself.
func standbyKey(s string) error {
	if kind, rest, _ := strings.Cut(s, ":"); rest == "" || kind != "file" && kind != "env" {
		return errors.New("want file:PATH or env:NAME; the secret itself belongs into the file")
	}
	return nil
}

func httpsURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return fmt.Errorf("want a URL such as https://ca.example.com/directory, not %q", s)
	}
	return nil
}

// collector wants the base URL of one. Credentials belong into a file, since the address is
// shown and logged.
func collector(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return errors.New("want the base URL of a collector, such as https://otel.example.com:4318, without a user, a " +
			"query and a fragment; what signs in belongs into tracing.headers")
	}
	return nil
}

// serviceName is one of those by which traces are looked for.
var serviceName = matching(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$`,
	"want 1 to 100 letters, digits, dots, dashes, underscores and slashes")

// A name of two parts or more is what authorities certify; a wildcard takes a way of
// proving it that the server has not got.
var hostNamePattern = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

func hostNames(list []string) error {
	for _, name := range list {
		if !hostNamePattern.MatchString(name) {
			return fmt.Errorf("want a name such as messages.example.com, in lower case, not %q", name)
		}
	}
	return nil
}

func networks(list []string) error { return networksOf("your proxies", list) }

// calledNetworks are those that egress may call.
func calledNetworks(list []string) error { return networksOf("the receivers", list) }

func networksOf(whom string, list []string) error {
	for _, text := range list {
		network, err := netip.ParsePrefix(text)
		if _, single := netip.ParseAddr(text); single == nil {
			continue
		}
		if err != nil || network != network.Masked() || network.Addr().Is4In6() {
			return fmt.Errorf("want the addresses or networks of %s, such as 192.0.2.7 or 192.0.2.0/28 with no bits past its "+
				"length, not %q", whom, text)
		}
	}
	return nil
}

// hosts wants those that egress lets calls out to.
func hosts(list []string) error {
	_, err := egress.ParseHosts(list)
	return err
}

func region(s string) error {
	if !phonenumbers.GetSupportedRegions()[s] {
		return fmt.Errorf("want a country such as US, GB or DE, not %q", s)
	}
	return nil
}

// A prefix becomes part of header names, which are case-insensitive, so only
// its spelling in answers is of interest.
var vendorPrefix = matching(`^[A-Za-z][A-Za-z0-9]{0,31}$`, "want 1 to 32 letters and digits, the first a letter")

// A colon would end the namespace inside an event type.
var vendorNamespace = matching(`^[A-Za-z][A-Za-z0-9._-]{0,63}$`,
	"want 1 to 64 letters, digits, dots, dashes and underscores, the first a letter")

func matching(pattern, wanted string) func(string) error {
	expression := regexp.MustCompile(pattern)
	return func(s string) error {
		if !expression.MatchString(s) {
			return fmt.Errorf("%s, not %q", wanted, s)
		}
		return nil
	}
}

// origins wants them the way browsers send them, because they are compared as
// they are: lower case, no path, no port that the scheme implies.
func origins(list []string) error {
	for _, origin := range list {
		u, err := url.Parse(origin)
		switch {
		case origin == "*":
			return errors.New("* is refused: list the sites that may call the interface")
		case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
			return fmt.Errorf("want an origin such as https://app.example.com, not %q", origin)
		}
		port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
		plain := strings.TrimSuffix(u.Scheme+"://"+strings.ToLower(u.Host), port)
		if origin != plain {
			return fmt.Errorf("browsers write the origin %q as %q: use that", origin, plain)
		}
	}
	return nil
}
