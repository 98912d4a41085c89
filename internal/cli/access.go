package cli

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"time"

	"github.com/alecthomas/kong"

	"signet/client"
	"signet/internal/commandline"
)

// clientGroup is the heading of the commands that call a server.
var clientGroup = kong.Group{
	Key:   "client",
	Title: "Commands that call a server:",
	Description: `They act as the operator of the server whose data directory is ./data, or as SIGNET_API_KEY and
SIGNET_API_SECRET at SIGNET_URL.`,
}

// access is what each command that calls a server embeds.
type access struct{ commandline.Access }

// within is the flag of commands that work in one organization.
type within struct {
	Org string `name:"org" placeholder:"TOKEN" help:"Organization; needed if the account is in several."`
}

// accessTo is that of a server by its data directory.
func accessTo(dir string) *access { return &access{commandline.Access{Data: dir}} }

// ProvideClient opens the client that the Run of a command takes; run in root.go binds it for
// those that do. What keeps it from that is a wrong configuration.
func (a *access) ProvideClient(con *console) (*client.Client, error) {
	given, err := a.Credentials(con.env, "")
	if err != nil {
		return nil, wrongConfiguration{err}
	}
	prefix, namespace := con.env.Variable("SIGNET_VENDOR_PREFIX"), con.env.Variable("SIGNET_VENDOR_NAMESPACE")
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

// server returns a client of the server that has the data, or nil where none answers at the address that it
// left in the data directory: then a command works on the data itself. A server that the environment names
// may have other data, so a command fails where that one does not answer.
func (p *dataFlags) server(ctx context.Context, con *console) (*client.Client, error) {
	a := accessTo(p.Data)
	given, err := a.Credentials(con.env, "")
	if con.env.Variable(commandline.URLVariable) != "" || err != nil && commandline.HasKey(con.env) {
		return a.ProvideClient(con)
	}
	if err != nil {
		return nil, nil
	}
	at, err := url.Parse(given.BaseURL)
	if err != nil {
		return nil, nil
	}
	dialer := net.Dialer{Timeout: 2 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(at.Hostname(),
		cmp.Or(at.Port(), map[string]string{"https": "443"}[at.Scheme], "80")))
	if err != nil || conn.Close() != nil {
		return nil, ctx.Err()
	}
	return a.ProvideClient(con)
}
