package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"signet/client"
)

// clientGroup is the heading of the commands that call a server.
var clientGroup = kong.Group{
	Key:   "client",
	Title: "Commands that call a server:",
	Description: `They act as the operator of the server whose data directory is ./data, or as SIGNET_API_KEY and
SIGNET_API_SECRET at SIGNET_URL.`,
}

// access is how a client command finds its server, and the credentials of its calls.
// Each of these commands embeds it.
type access struct {
	Data string `placeholder:"DIR" help:"Data directory of a server on this machine, whose operator.json has the credentials [SIGNET_DATA, default ./data]."`
	JSON bool   `name:"json" help:"Print JSON, one value on a line."`
}

// within is the flag of commands that work in one organization.
type within struct {
	Org string `name:"org" placeholder:"TOKEN" help:"Organization; needed where the account is in several."`
}

// The variables that come before operator.json.
const (
	urlVariable    = "SIGNET_URL"
	keyVariable    = "SIGNET_API_KEY"
	secretVariable = "SIGNET_API_SECRET"
)

// credentials are what a client is made of, as operator.json has them.
type credentials struct {
	BaseURL string `json:"base_url"`
	Key     string `json:"api_key"`
	Secret  string `json:"api_secret"`

	local bool // the key is that of operator.json
}

// credentials finds the server and the key: in the environment, and what is not
// there in operator.json. A URL that is not empty comes before both.
func (a *access) credentials(con *console, url string) (credentials, error) {
	given := credentials{BaseURL: cmp.Or(url, con.variable(urlVariable)), Key: con.variable(keyVariable),
		Secret: con.variable(secretVariable)}
	if (given.Key == "") != (given.Secret == "") {
		return given, wrongConfiguration{fmt.Errorf("%s and %s go together: only one of them is set", keyVariable,
			secretVariable)}
	}
	if given.BaseURL == "" || given.Key == "" {
		file, err := a.operator(con)
		if err != nil {
			return given, wrongConfiguration{err}
		}
		if given.BaseURL == "" && file.BaseURL == "" {
			return given, wrongConfiguration{fmt.Errorf("operator.json has no base_url: start the server once, or set %s",
				urlVariable)}
		}
		given.BaseURL = cmp.Or(given.BaseURL, file.BaseURL)
		if given.Key == "" {
			given.Key, given.Secret, given.local = file.Key, file.Secret, true
		}
	}
	return given, nil
}

// ProvideClient opens the client that the Run of a command takes; kong calls it for those
// that do. What keeps it from that is a wrong configuration.
func (a *access) ProvideClient(con *console) (*client.Client, error) {
	given, err := a.credentials(con, "")
	if err != nil {
		return nil, err
	}
	prefix, namespace := con.variable("SIGNET_VENDOR_PREFIX"), con.variable("SIGNET_VENDOR_NAMESPACE")
	options := []client.Option{client.WithUserAgent("signet/" + version())}
	if prefix != "" || namespace != "" {
		options = append(options, client.WithVendor(cmp.Or(prefix, "TT"), cmp.Or(namespace, "tigertext")))
	}
	c, err := client.New(given.BaseURL, given.Key, given.Secret, options...)
	if err != nil {
		return nil, wrongConfiguration{err}
	}
	con.client = c
	return c, nil
}

// server returns a client of the server that has the data, or nil where none answers: then
// a command works on the data itself.
func (p *dataFlags) server(ctx context.Context, con *console) *client.Client {
	a := &access{Data: p.Data}
	given, err := a.credentials(con, "")
	if err != nil {
		return nil
	}
	at, err := url.Parse(given.BaseURL)
	if err != nil {
		return nil
	}
	dialer := net.Dialer{Timeout: 2 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(at.Hostname(),
		cmp.Or(at.Port(), map[string]string{"https": "443"}[at.Scheme], "80")))
	if err != nil || conn.Close() != nil {
		return nil
	}
	c, err := a.ProvideClient(con)
	if err != nil {
		return nil
	}
	return c
}

// directory is the data directory of a server on this machine.
func (a *access) directory(con *console) string {
	return cmp.Or(a.Data, con.variable("SIGNET_DATA"), "data")
}

// operator reads the credentials that a server on this machine left.
func (a *access) operator(con *console) (credentials, error) {
	path := filepath.Join(a.directory(con), "operator.json")
	text, err := os.ReadFile(path)
	var found credentials
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found, fmt.Errorf("no credentials: there is no %s; name the server's data directory with --data, or set %s, "+
			"%s and %s",
			path, urlVariable, keyVariable, secretVariable)
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

// variable returns a variable of the environment. Of two with one name the later
// counts, as it does for the processes of the operating system.
func (c *console) variable(name string) string {
	found := ""
	for _, entry := range c.env {
		if n, text, ok := strings.Cut(entry, "="); ok && n == name {
			found = text
		}
	}
	return found
}
