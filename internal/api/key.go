package api

import (
	"context"
	"math"
	"time"

	"signet/internal/access"
	"signet/internal/api/input"
	"signet/internal/api/wire"
	"signet/internal/model"
)

// wireIssuedKey is a new key; the secret is shown this once.
type wireIssuedKey struct {
	APIKey      string    `json:"api_key"`
	APISecret   string    `json:"api_secret"`
	Kind        string    `json:"kind"`
	CreatedTime wire.Time `json:"created_time"`
	ExpiresTime wire.Time `json:"expires_time,omitzero"`
	Label       string    `json:"label,omitempty"`
	Networks    []string  `json:"allowed_networks,omitempty"`

	Organization model.OrganizationID `json:"organization,omitempty"`
}

// maxSeconds keeps a duration that a client names within what can be counted.
const maxSeconds = math.MaxInt32

// issueKey: POST /user/:user/key.
func (a *API) issueKey(ctx context.Context, c *call) (answer, error) {
	f := &c.body.Fields
	command := access.IssueKeyCommand{
		Account:           c.path("user"),
		ExpiresIn:         time.Duration(f.IntBetween("expires_in", 1, maxSeconds, 0)) * time.Second,
		Password:          f.Text("password"),
		Label:             f.Text("label"),
		MessagesPerDay:    f.OptionalInt("messages_per_day"),
		RequestsPerSecond: f.OptionalInt("requests_per_second"),
		Networks:          f.List("allowed_networks"),
		Organization:      organizationField(f, "organization"),
		CallOrganization:  c.organization(),
	}
	switch kind := f.Text("kind"); kind {
	case "", "regular":
	case "administrative":
		command.Kind = model.Administrative
	default:
		f.Wrong("kind", "regular or administrative")
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	var issued *access.IssuedKey
	err := a.guardPassword(c, command.Password, func() (err error) {
		issued, err = a.access.IssueKey(ctx, c.actor, command)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return reply(wireIssuedKey{issued.Key.Key, issued.Secret, issued.Kind.String(), wire.Time(issued.Created),
		wire.Time(issued.Expires), issued.Label, issued.Networks.Strings(), issued.Scope}), nil
}

// listKeys: GET /user/:user/key.
func (a *API) listKeys(ctx context.Context, c *call) (answer, error) {
	keys, err := a.access.Keys(ctx, c.actor, c.path("user"))
	if err != nil {
		return answer{}, err
	}
	out := make([]wire.Key, len(keys))
	for i, k := range keys {
		out[i] = wire.ShownKey(&k)
		out[i].Current = k.Session && k.Key == c.actor.Key.Key
	}
	return reply(out), nil
}

// revokeKey: DELETE /user/:user/key/:key.
func (a *API) revokeKey(ctx context.Context, c *call) (answer, error) {
	return noContent(), a.access.RevokeKey(ctx, c.actor, c.path("user"), c.path("key"))
}

// rotateKey: POST /user/:user/key/:key/rotate.
func (a *API) rotateKey(ctx context.Context, c *call) (answer, error) {
	grace := access.DefaultGrace
	if seconds := c.body.OptionalInt("grace"); seconds != nil {
		grace = time.Duration(max(-1, min(*seconds, int(access.MaxGrace/time.Second)+1))) * time.Second // which is refused
	}
	password := c.body.Text("password")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	var issued *access.IssuedKey
	err := a.guardPassword(c, password, func() (err error) {
		issued, err = a.access.RotateKey(ctx, c.actor, c.path("user"), c.path("key"), grace, password)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return reply(map[string]string{"api_key": issued.Key.Key, "api_secret": issued.Secret}), nil
}

// changeKey: POST /user/:user/key/:key.
func (a *API) changeKey(ctx context.Context, c *call) (answer, error) {
	f := &c.body.Fields
	change := access.KeyChange{Label: f.OptionalText("label"), Limits: access.KeyLimits{
		MessagesPerDay: limitChange(f, "messages_per_day"), RequestsPerSecond: limitChange(f, "requests_per_second")}}
	c.action = change.Action()
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.access.ChangeKey(ctx, c.actor, c.path("user"), c.path("key"), change)
}

// limitChange reads a limit: a number, or `default` to put the configured one back; what is
// not there stays.
func limitChange(f *input.Fields, name string) model.LimitChange {
	if string(f.Scalar(name)) == `"default"` {
		return model.LimitChange{Set: true}
	}
	limit := f.OptionalInt(name)
	if limit != nil && (*limit < 0 || *limit > math.MaxInt32) {
		f.Wrong(name, "a whole number from 0 (no limit) to 2147483647, or the text default")
	}
	return model.LimitChange{Set: limit != nil, To: limit}
}
