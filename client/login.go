package client

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"strings"
)

// Login is a sign-in with a password. The server answers with a key for the
// device, which replaces that device's last one.
type Login struct {
	User        string            `json:"-"` // address
	Password    string            `json:"-"`
	DeviceID    string            `json:"device_id,omitempty"`
	Version     string            `json:"version,omitempty"`
	PushRouting string            `json:"push_routing,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`

	// ProductKey makes it the older call, POST /v2/login, which names the product.
	ProductKey string `json:"-"`
}

// LogValue keeps the password out of logs.
func (l Login) LogValue() slog.Value { return slog.StringValue("login of " + l.User) }

// Session is what a sign-in gives.
type Session struct {
	User User        `json:"user"`
	Auth SessionAuth `json:"auth"`
}

// SessionAuth is the key of a session.
type SessionAuth struct {
	Key      string `json:"key"`
	Secret   string `json:"secret"`
	Resource string `json:"resource"`
}

// LogValue keeps the secret out of logs.
func (a SessionAuth) LogValue() slog.Value { return slog.StringValue("key " + a.Key) }

// SignIn signs in at baseURL with a password (POST /v5/login, or POST /v2/login
// where the login names a product key), and returns a client that acts with the
// session's key. A wrong password is an [ErrUnauthorized], whether or not there
// is such a user.
func SignIn(ctx context.Context, baseURL string, login Login, opts ...Option) (*Client, *Session, error) {
	if login.User == "" || strings.Contains(login.ProductKey, ":") {
		return nil, nil, fmt.Errorf("%w: a login names a user, and its product key has no colon", ErrArgument)
	}
	c, err := New(baseURL, "login", "", opts...)
	if err != nil {
		return nil, nil, err
	}
	r := post(login, "v5", "login")
	r.root = true
	c.authorization = basic(login.User, login.Password)
	if login.ProductKey != "" {
		r = post(login, "login")
		c.authorization = "XMPP-Simple " +
			base64.StdEncoding.EncodeToString([]byte(login.ProductKey+":"+login.User+":"+login.Password))
	}
	session, err := fetch[Session](ctx, c, r)
	if err != nil {
		_ = c.Close() // only drops idle connections
		return nil, nil, err
	}
	c.authorization = basic(session.Auth.Key, session.Auth.Secret)
	return c, session, nil
}

// SignOut ends the session: a key that a login issued is revoked, another one
// loses its streams (POST /logout).
func (c *Client) SignOut(ctx context.Context) error { return c.run(ctx, post(nil, "logout")) }

// Ready returns nil if the server takes requests (GET /readyz). It is no call of
// the interface, and needs no credentials.
func (c *Client) Ready(ctx context.Context) error {
	r := get("readyz")
	r.root = true
	return c.run(ctx, r)
}
