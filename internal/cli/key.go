package cli

import (
	"cmp"
	"context"
	"encoding/base64"
	"strings"
	"time"

	"signet/client"
)

type keyCommands struct {
	Create keyCreateCommand `cmd:"" help:"Issue a key and print it with its secret." note:"The secret is shown this once. An administrative key of one organization is shown as scim_token too, which a directory takes." example:"signet key create lab@example.com --label 'Laboratory system' --expires-in 365d"`
	List   keyListCommand   `cmd:"" help:"List the keys of an account." note:"No secret is shown." example:"signet key list ann@example.com"`
	Revoke keyRevokeCommand `cmd:"" help:"End a key at once." note:"Streams opened with it end too." example:"signet key revoke 4Q2ZPX... --user ann@example.com"`
	Rotate keyRotateCommand `cmd:"" help:"Give a key a new secret and print it." note:"The new secret is shown this once." example:"signet key rotate 4Q2ZPX... --user lab@example.com --grace 10m"`
	Label  keyLabelCommand  `cmd:"" help:"Say what a key is for." note:"Without a text the key has no label." example:"signet key label 4Q2ZPX... 'Wall display, ward 3' --user lab@example.com"`
	Limit  keyLimitCommand  `cmd:"" help:"Give a key limits that differ from the server's."`
}

type keyCreateCommand struct {
	access
	User              string   `arg:"" optional:"" default:"me" help:"Account, by token, e-mail, phone or username; without one, the caller's."`
	Kind              string   `enum:"regular,administrative" default:"regular" help:"What the key gives access to: regular (default) or administrative."`
	Label             string   `placeholder:"TEXT" help:"What the key is for, up to 100 characters; lists show it."`
	ExpiresIn         span     `placeholder:"TIME" help:"When it ends: a time such as 12h or 90d. Without it, never."`
	MessagesPerDay    *int     `placeholder:"N" help:"Daily limit of messages in place of the server's; 0 is none. For operators."`
	RequestsPerSecond *int     `placeholder:"N" help:"Limit of requests a second in place of the server's; 0 is none. For operators."`
	AllowedNetworks   []string `name:"allowed-network" placeholder:"NETWORK" help:"Where the key may be used from: an address or a network such as 192.0.2.0/24; may be repeated. Without it, from wherever the caller's key may."`
	Organization      string   `placeholder:"TOKEN" help:"The only organization that the key acts in. Without it, all of the account's; an administrator can issue keys only for its own organization."`
	PasswordFile      string   `placeholder:"FILE" help:"File with the caller's password: to issue an administrative key with a regular one."`
}

func (k *keyCreateCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	password, err := con.readPassword(k.PasswordFile)
	if err != nil {
		return err
	}
	issued, err := c.CreateKey(ctx, k.User,
		client.NewKey{Kind: client.KeyKind(k.Kind), Label: k.Label, ExpiresIn: time.Duration(k.ExpiresIn),
			Password: password, MessagesPerDay: k.MessagesPerDay, RequestsPerSecond: k.RequestsPerSecond,
			AllowedNetworks: k.AllowedNetworks, Organization: k.Organization})
	return show(con, issued, err, keyLines)
}

func keyLines(k *client.IssuedKey) []string {
	lines := []string{cells("api_key", k.APIKey), cells("api_secret", k.APISecret)}
	if k.Label != "" {
		lines = append(lines, cells("label", k.Label))
	}
	if !k.ExpiresTime.IsZero() {
		lines = append(lines, cells("expires", moment(k.ExpiresTime)))
	}
	if len(k.AllowedNetworks) > 0 {
		lines = append(lines, cells("allowed_networks", strings.Join(k.AllowedNetworks, ",")))
	}
	if k.Organization != "" {
		lines = append(lines, cells("organization", k.Organization))
	}
	if k.Organization != "" && k.Kind == client.AdministrativeKey { // what a directory takes as its secret token
		token := base64.RawURLEncoding.EncodeToString([]byte(k.APIKey + ":" + k.APISecret))
		lines = append(lines, cells("scim_token", token))
	}
	return lines
}

type keyListCommand struct {
	access
	User string `arg:"" optional:"" default:"me" help:"Account, by token, e-mail, phone or username; without one, the caller's."`
}

func (k *keyListCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	keys, err := c.Keys(ctx, k.User)
	head := cells("KEY", "KIND", "CREATED", "LABEL", "LAST USED", "FROM", "DEVICE", "EXPIRES", "NETWORKS", "ORGANIZATION",
		"ISSUED BY")
	return table(con, keys, err, head, func(key client.Key) string {
		return cells(key.APIKey, string(key.Kind), moment(key.CreatedTime), cmp.Or(key.Label, "-"),
			moment(key.LastUsedTime),
			cmp.Or(key.LastUsedAddress, "-"), cmp.Or(key.Device, "-"),
			moment(key.ExpiresTime), cmp.Or(strings.Join(key.AllowedNetworks, ","), "-"),
			cmp.Or(key.Organization, "-"), cmp.Or(key.IssuedBy, "-"))
	})
}

type keyLabelCommand struct {
	access
	Key  string `arg:"" help:"The key (not its secret)."`
	Text string `arg:"" optional:"" help:"What it is for, up to 100 characters."`
	User string `default:"me" placeholder:"ADDRESS" help:"Account that it belongs to; without one, the caller's."`
}

func (k *keyLabelCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.LabelKey(ctx, k.User, k.Key, k.Text)
}

type keyRevokeCommand struct {
	access
	Key  string `arg:"" help:"The key (not its secret)."`
	User string `default:"me" placeholder:"ADDRESS" help:"Account that it belongs to; without one, the caller's."`
}

func (k *keyRevokeCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.RevokeKey(ctx, k.User, k.Key)
}

type keyRotateCommand struct {
	access
	Key          string `arg:"" help:"The key (not its secret)."`
	User         string `default:"me" placeholder:"ADDRESS" help:"Account that it belongs to; without one, the caller's."`
	Grace        *span  `placeholder:"TIME" help:"How long the old secret still works, up to 24h; default 1h; 0s ends it at once."`
	PasswordFile string `placeholder:"FILE" help:"File with the caller's password: to rotate an administrative key with a regular one."`
}

func (k *keyRotateCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	password, err := con.readPassword(k.PasswordFile)
	if err != nil {
		return err
	}
	issued, err := c.RotateKey(ctx, k.User, k.Key, client.Rotation{Grace: (*time.Duration)(k.Grace), Password: password})
	return show(con, issued, err, keyLines)
}
