package api

import (
	"context"
	"encoding/base64"
	"strings"

	"signet/internal/access"
	"signet/internal/api/wire"
	"signet/internal/model"
)

// wireLogin is the answer of both sign-ins.
type wireLogin struct {
	User wire.User `json:"user"`
	Auth struct {
		Key      string `json:"key"`
		Secret   string `json:"secret"`
		Resource string `json:"resource"`
	} `json:"auth"`
}

// signInBytes is the most that the body of a sign-in may have.
const signInBytes = 8 << 10

// signInByName: POST /login: `Authorization: XMPP-Simple
// base64(<product>:<user>:<password>)`.
func (a *API) signInByName(ctx context.Context, c *call) error {
	scheme, encoded, _ := strings.Cut(c.request.Header.Get("Authorization"), " ")
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	parts := strings.SplitN(string(decoded), ":", 3)
	if !strings.EqualFold(scheme, "XMPP-Simple") || err != nil || len(parts) != 3 {
		return unauthenticated(codeCredentialsMissing,
			"Credentials are required: XMPP-Simple with product key, user and password.")
	}
	return a.checkPassword(ctx, c, parts[1], parts[2])
}

// signInByNameOrKey: POST /v5/login: HTTP Basic with user and password, or key and
// secret. The right secret of a key opens whatever failed before.
func (a *API) signInByNameOrKey(ctx context.Context, c *call) error {
	name, secret, err := c.credentials()
	if err != nil {
		return err
	}
	c.tried = name
	c.actor, err = a.access.Authenticate(ctx, name, secret, a.clientAddress(c.request))
	if !model.IsUnauthenticated(err) {
		return err
	}
	return a.checkPassword(ctx, c, name, secret)
}

func (a *API) checkPassword(ctx context.Context, c *call, name, password string) error {
	c.tried = name
	return a.attempts.Password(a.clientAddress(c.request), name, password, func() (err error) {
		c.proven, err = a.access.CheckPassword(ctx, name, password)
		return err
	})
}

// login: POST /login and POST /v5/login.
func (a *API) login(ctx context.Context, c *call) (answer, error) {
	device := c.body.Text("device_id")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	signed, err := a.logIn(ctx, c, access.Device{Name: device})
	if err != nil {
		return answer{}, err
	}
	user, err := a.people.User(ctx, signed.Actor, "me", "")
	if err != nil {
		return answer{}, err
	}
	out := wireLogin{User: c.User(user)}
	out.Auth.Key, out.Auth.Secret, out.Auth.Resource = signed.Actor.Key.Key, signed.Secret, device
	return reply(out), nil
}

// logIn issues the key of a sign-in, to whoever gave a password or came with a key.
func (a *API) logIn(ctx context.Context, c *call, device access.Device) (access.Login, error) {
	if c.actor != nil {
		return a.access.LoginWithKey(ctx, c.actor, device)
	}
	return a.access.LoginProven(ctx, c.proven, device)
}

// logout: POST /logout.
func (a *API) logout(ctx context.Context, c *call) (answer, error) {
	if err := a.access.Logout(ctx, c.actor); err != nil {
		return answer{}, err
	}
	if c.actor.Key.Session {
		a.metrics.sessions.WithLabelValues(sessionEnded).Inc()
		a.setCookie(c, "")
	}
	return noContent(), nil
}
