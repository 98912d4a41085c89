package natsbus

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/nats-io/nats.go"
)

// maxLogin is more than a file with a password or a token has, in bytes.
const maxLogin = 64 << 10

// The kinds of files by which a node signs in, before the path in Options.Login.
const (
	loginCredentials = "creds"
	loginNkey        = "nkey"
	loginToken       = "token"
	loginPassword    = "password"
)

// access returns the addresses to connect to, and the options by which a node signs in
// and recognises the servers. Files are read once now, so that a wrong one is told at
// the start, and again for each connection, so that they may be replaced.
func (o *Options) access(complain func(what string, err error)) (servers string, _ []nats.Option, err error) {
	var out []nats.Option
	if o.CA != "" {
		out = append(out, nats.RootCAs(o.CA))
	}
	if o.Certificate != "" {
		out = append(out, nats.ClientCert(o.Certificate, o.Key))
	}
	kind, path, _ := strings.Cut(o.Login, ":")
	read := func() string {
		text, err := readLogin(path)
		if err != nil {
			complain("the file to sign in to the bus with cannot be read", err)
		}
		return text
	}
	switch kind {
	case "":
		return o.URL, out, nil
	case loginCredentials:
		if _, err := readLogin(path); err != nil {
			return "", nil, err
		}
		return o.URL, append(out, nats.UserCredentials(path)), nil
	case loginNkey:
		signing, err := nats.NkeyOptionFromSeed(path)
		if err != nil {
			return "", nil, fmt.Errorf("read the key to sign in with: %w", err)
		}
		return o.URL, append(out, signing), nil
	case loginToken:
		_, err := readLogin(path)
		return o.URL, append(out, nats.TokenHandler(read)), err
	case loginPassword:
		servers, user, err := withoutUser(o.URL)
		if err == nil {
			_, err = readLogin(path)
		}
		return servers, append(out, nats.UserInfoHandler(func() (string, string) { return user, read() })), err
	}
	return "", nil, fmt.Errorf("there is no way to sign in by %q", kind)
}

// readLogin returns what a file holds, without the end of its last line.
func readLogin(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLogin+1))
	switch trimmed := strings.TrimRight(string(text), "\r\n"); {
	case err != nil:
		return "", err
	case len(text) > maxLogin:
		return "", fmt.Errorf("%s is larger than %d bytes", path, maxLogin)
	case trimmed == "":
		return "", fmt.Errorf("%s is empty", path)
	default:
		return trimmed, nil
	}
}

// withoutUser takes the user, whom nats.go would take for a token, from addresses that
// all name the same.
func withoutUser(servers string) (out, user string, err error) {
	var bare []string
	for server := range strings.SplitSeq(servers, ",") {
		u, err := url.Parse(strings.TrimSpace(server))
		if err != nil {
			return "", "", withoutURL(err)
		}
		name := u.User.Username()
		if name == "" || user != "" && name != user {
			return "", "", errors.New("the password to sign in with needs a user, the same in every address")
		}
		user, u.User = name, nil
		bare = append(bare, u.String())
	}
	return strings.Join(bare, ","), user, nil
}
