package api

import (
	"context"
	"encoding/base64"
	"strings"

	"signet/internal/service"
)

// wireLogin is the answer of both sign-ins.
type wireLogin struct {
	User wireUser `json:"user"`
	Auth struct {
		Key      string `json:"key"`
		Secret   string `json:"secret"`
		Resource string `json:"resource"`
	} `json:"auth"`
}

// login: POST /login: `Authorization: XMPP-Simple base64(<product>:<user>:<password>)`.
func (a *API) login(ctx context.Context, c *call) (answer, error) {
	scheme, encoded, _ := strings.Cut(c.request.Header.Get("Authorization"), " ")
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	parts := strings.SplitN(string(decoded), ":", 3)
	if !strings.EqualFold(scheme, "XMPP-Simple") || err != nil || len(parts) != 3 {
		return answer{}, unauthenticated(codeCredentialsMissing,
			"Credentials are required: XMPP-Simple with product key, user and password.")
	}
	return a.signIn(ctx, c, parts[1], parts[2], false)
}

// loginV5: POST /v5/login: HTTP Basic with user and password, or key and secret.
func (a *API) loginV5(ctx context.Context, c *call) (answer, error) {
	name, secret, err := c.credentials()
	if err != nil {
		return answer{}, err
	}
	return a.signIn(ctx, c, name, secret, true)
}

func (a *API) signIn(ctx context.Context, c *call, name, secret string, keys bool) (answer, error) {
	device := c.body.Text("device_id")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	c.tried = name
	from := a.clientAddress(c.request)
	var signed service.Login
	err := a.attempts.Guard(from, name, secret, func() error {
		if keys {
			actor, err := a.service.Authenticate(ctx, name, secret, from)
			if err == nil {
				signed, err = a.service.LoginWithKey(ctx, actor, device)
			}
			if !isUnauthenticated(err) {
				return err
			}
		}
		var err error
		signed, err = a.service.LoginWithPassword(ctx, name, secret, device)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	out := wireLogin{User: c.user(signed.Entity)}
	out.Auth.Key, out.Auth.Secret, out.Auth.Resource = signed.Key.Key.Key, signed.Key.Secret, device
	return reply(out), nil
}

// logout: POST /logout.
func (a *API) logout(ctx context.Context, c *call) (answer, error) {
	return noContent(), a.service.Logout(ctx, c.actor)
}
