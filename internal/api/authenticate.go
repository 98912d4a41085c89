package api

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/netip"
	"strings"

	"signet/internal/access"
	"signet/internal/model"
)

// Authenticator finds the account of a key.
type Authenticator interface {
	// Authenticate returns who calls with a key and its secret from an address. It
	// returns a *model.Error of kind Unauthenticated for credentials that open
	// nothing, which counts as a failed login.
	Authenticate(ctx context.Context, key, secret string, from netip.Addr) (*model.Actor, error)

	// OpenSession is Authenticate for the key and the secret in the cookie of a session.
	OpenSession(ctx context.Context, key, secret string, from netip.Addr) (*model.Actor, error)

	// Current returns what an actor is by now. Where its credentials have ended, it returns
	// a *model.Error of kind Unauthenticated.
	Current(ctx context.Context, actor *model.Actor) (*model.Actor, error)
}

// authenticate finds out who calls: HTTP Basic, and where the route allows it the
// query `auth_basic`, which browsers' event sources need. The header wins. A cookie counts
// only where neither is there.
func (a *API) authenticate(ctx context.Context, c *call) error {
	switch {
	case c.endpoint.public:
		return nil
	case c.endpoint.signIn != nil:
		return c.endpoint.signIn(ctx, c)
	case c.endpoint.scim:
		actor, err := a.authenticateKey(ctx, c)
		c.actor = actor
		return err
	case !c.givesCredentials():
		if _, _, sent := a.cookie(c); !sent && c.endpoint.anybody {
			return nil
		}
		return a.openSession(ctx, c)
	}
	actor, err := a.authenticateKey(ctx, c)
	c.actor = actor
	return err
}

// authenticateKey finds out whose key the call gives besides any cookie.
func (a *API) authenticateKey(ctx context.Context, c *call) (actor *model.Actor, err error) {
	key, secret, err := c.credentials()
	if err != nil {
		return nil, err
	}
	c.tried = key
	from := a.clientAddress(c.request)
	err = a.attempts.Secret(from, key, func() (err error) {
		actor, err = a.authenticator.Authenticate(ctx, key, secret, from)
		return err
	})
	return actor, err
}

// credentials returns the key and the secret that the call was sent with.
func (c *call) credentials() (key, secret string, err error) {
	if header := c.request.Header.Get("Authorization"); header != "" {
		scheme, encoded, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Basic") && !(c.endpoint.scim && strings.EqualFold(scheme, "Bearer")) {
			return "", "", unauthenticated(codeCredentialsInvalid, "The credentials have to be HTTP Basic: key and secret.")
		}
		return keyAndSecret(strings.Trim(encoded, " "))
	}
	if c.endpoint.queryAuth {
		if given := c.readQuery().Values("auth_basic"); len(given) == 1 && given[0] != "" {
			return keyAndSecret(given[0])
		}
	}
	return "", "", unauthenticated(codeCredentialsMissing, "Credentials are required: HTTP Basic with key and secret.")
}

// keyAndSecret decodes base64(key:secret) in either alphabet, with or without
// padding. In a query a `+` that was not encoded has arrived as a blank. Whether they are text is
// for those to ask who look them up, so that it counts as a failed attempt where they are not.
func keyAndSecret(encoded string) (key, secret string, err error) {
	encoded = strings.TrimRight(encoded, "=")
	if strings.ContainsAny(encoded, " -_") {
		encoded = strings.NewReplacer(" ", "+", "-", "+", "_", "/").Replace(encoded)
	}
	decoded, fault := base64.RawStdEncoding.DecodeString(encoded)
	key, secret, ok := strings.Cut(string(decoded), ":")
	if fault != nil || !ok || key == "" {
		return "", "", unauthenticated(codeCredentialsInvalid, "The credentials have to be base64(key:secret).")
	}
	return key, secret, nil
}

func unauthenticated(code, message string) error {
	return &model.Error{Kind: model.Unauthenticated, Code: code, Message: message}
}

// remoteAddress returns the address of the other end of the connection.
func remoteAddress(r *http.Request) netip.Addr {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{} // a Unix socket, say: all of these count as one
	}
	return remote.Addr().Unmap()
}

// checkSecondFactor refuses who gave a password alone where more is required, but for what leads to a passkey
// (contract, section 9). The table of routes says what that is.
func (a *API) checkSecondFactor(_ context.Context, c *call) error {
	if c.endpoint.oneFactor {
		return nil
	}
	return access.WantSecondFactor(c.actor)
}

// checkAdministrative refuses administrative endpoints to an account that administers
// nothing, whatever the call names (contract, section 1). Who may do what in which
// organization is decided by the service.
func (a *API) checkAdministrative(ctx context.Context, c *call) error {
	if c.endpoint.scim {
		return wantDirectory(c.actor)
	}
	if !c.endpoint.admin || c.actor.AdministersAny() {
		return nil
	}
	if exempt := c.endpoint.exempt; exempt != nil && exempt(ctx, c) {
		return nil
	}
	return model.Forbiddenf(codeAdministrativeKey, "The key does not have administrative access.")
}
