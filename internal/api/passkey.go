package api

import (
	"context"
	"encoding/json"

	"signet/internal/access"
	"signet/internal/api/input"
	"signet/internal/api/wire"
	"signet/internal/model"
)

// noPasskeys is the answer where the server does not know a name at which passkeys could be made.
func (a *API) noPasskeys() *model.Error {
	told := &model.Error{Kind: model.Forbidden, Code: codePasskeysOff, Message: "There are no passkeys here."}
	if a.partyFault != nil {
		told.Message = "There are no passkeys here: " + a.partyFault.Error() + "."
	}
	return told
}

// wantParty refuses where there are no passkeys, and pages that are elsewhere than passkeys are: browsers would only
// say that the operation is insecure. So the refusal says where to go.
func (a *API) wantParty(c *call) error {
	if a.party == nil {
		return a.noPasskeys()
	}
	if origin := c.request.Header.Get("Origin"); origin != "" && origin != a.party.Origin {
		return model.Forbiddenf(codePasskeyAddress, "Passkeys are made and used at %s: open that address.", a.party.Origin)
	}
	return nil
}

// wireAsked is what a browser is to ask an authenticator for.
type wireAsked struct {
	PublicKey json.RawMessage `json:"publicKey"`
}

// askToMake: POST /user/me/passkey/begin.
func (a *API) askToMake(ctx context.Context, c *call) (answer, error) {
	if !c.actor.Key.Session {
		return answer{}, noSession()
	}
	if err := a.wantParty(c); err != nil {
		return answer{}, err
	}
	asked, err := a.access.AskToMake(ctx, c.actor, a.party)
	if err != nil {
		return answer{}, err
	}
	return reply(wireAsked{asked.Options}), nil
}

// makePasskey: POST /user/me/passkey/finish.
func (a *API) makePasskey(ctx context.Context, c *call) (answer, error) {
	if !c.actor.Key.Session {
		return answer{}, noSession()
	}
	if err := a.wantParty(c); err != nil {
		return answer{}, err
	}
	given := c.credentialField()
	label, fault := model.ParseLabel(c.body.Text("label"))
	if err := c.err(); err != nil {
		return answer{}, err
	}
	if fault != nil {
		return answer{}, fault
	}
	made, secret, err := a.access.Make(ctx, c.actor, a.party, given, label)
	a.metrics.answered(passkeyMade, err)
	if err != nil {
		return answer{}, err
	}
	if secret != "" {
		a.setCookie(c, input.FormatSession(c.actor.Key.Key, secret))
	}
	return reply(wire.ShownPasskey(&made)), nil
}

// credentialField reads the answer of an authenticator.
func (c *call) credentialField() json.RawMessage {
	given := c.body.Raw("credential")
	if given == nil {
		c.body.RequiredText("credential") // which it is not
	}
	return given
}

// listPasskeys: GET /user/:user/passkey.
func (a *API) listPasskeys(ctx context.Context, c *call) (answer, error) {
	all, err := a.access.Passkeys(ctx, c.actor, c.path("user"))
	if err != nil {
		return answer{}, err
	}
	out := make([]wire.Passkey, len(all))
	for i := range all {
		out[i] = wire.ShownPasskey(&all[i])
	}
	return reply(out), nil
}

// removePasskey: DELETE /user/:user/passkey/:passkey.
func (a *API) removePasskey(ctx context.Context, c *call) (answer, error) {
	id, ok := model.ParsePasskeyID(c.path("passkey"))
	if !ok {
		return answer{}, model.Missing()
	}
	return noContent(), a.access.RemovePasskey(ctx, c.actor, c.path("user"), id)
}

// allowPasskey: POST /user/:user/passkey/allow.
func (a *API) allowPasskey(ctx context.Context, c *call) (answer, error) {
	until, err := a.access.AllowPasskey(ctx, c.actor, c.path("user"))
	if err != nil {
		return answer{}, err
	}
	return reply(map[string]wire.Time{"expires_time": wire.Time(until)}), nil
}

// perhapsInSession finds out whose session a call comes from. One that has ended is none: its browser is about to sign
// in.
func (a *API) perhapsInSession(ctx context.Context, c *call) error {
	if err := a.wantSafeWay(c); err != nil {
		return err
	}
	if c.givesCredentials() {
		actor, err := a.authenticateKey(ctx, c)
		if err == nil {
			c.actor, err = actor, noSession()
		}
		return err
	}
	if _, _, sent := a.cookie(c); !sent {
		return a.countStranger(c)
	}
	err := a.openSession(ctx, c)
	if model.IsUnauthenticated(err) {
		c.actor, c.tried = nil, ""
		return a.countStranger(c)
	}
	return err
}

// countStranger counts a call of nobody who is known, by the address: what such calls leave in the store is bounded so.
func (a *API) countStranger(c *call) error {
	perSecond := strangersPerSecond
	client := model.ClientOf(a.clientAddress(c.request))
	_, err := a.rates.Take(&model.Key{Counter: "passkey " + client.String(), RequestsPerSecond: &perSecond})
	return err
}

// strangersPerSecond is how many people a second may begin to sign in with a passkey from one address, behind which
// there may be a whole ward; in the proportion of keys' figures, twice as many at once.
const strangersPerSecond = 10

// askToSign: POST /session/passkey/begin.
func (a *API) askToSign(ctx context.Context, c *call) (answer, error) {
	if err := a.wantParty(c); err != nil {
		return answer{}, err
	}
	asked, err := a.access.AskToSign(ctx, c.actor, a.party)
	if err != nil {
		return answer{}, err
	}
	return reply(wireAsked{asked.Options}), nil
}

// signInByPasskey: POST /session/passkey/finish. In a session the answer of the authenticator is checked by the
// endpoint; without one it is the credentials.
func (a *API) signInByPasskey(ctx context.Context, c *call) error {
	if err := a.perhapsInSession(ctx, c); err != nil || c.actor != nil {
		return err
	}
	if err := a.readSmall(ctx, c); err != nil {
		return err
	}
	if err := a.wantParty(c); err != nil {
		return err
	}
	return a.checkSigned(ctx, c)
}

// checkSigned finds out whose passkey signed. Of signatures that are wrong so many may come from an address, and
// with a credential, as of passwords.
func (a *API) checkSigned(ctx context.Context, c *call) error {
	given := c.credentialField()
	if err := c.err(); err != nil {
		return err
	}
	signed, err := access.ParseSigned(given)
	if err != nil {
		a.metrics.answered(a.signing(c), err)
		return err
	}
	if account := signed.Account(); c.actor == nil && !account.IsZero() {
		c.tried = account.String()
	}
	from, name := a.clientAddress(c.request), "passkey "+signed.Credential()
	err = a.attempts.Password(from, name, string(given), func() (err error) {
		if c.proven, err = a.access.CheckPasskey(ctx, c.actor, a.party, signed); err != nil {
			a.metrics.answered(a.signing(c), err)
		}
		return err
	})
	return err
}

// signing is what a signature is for.
func (a *API) signing(c *call) string {
	if c.actor != nil {
		return passkeyElevated
	}
	return passkeySignedIn
}

// finishSigning: POST /session/passkey/finish.
func (a *API) finishSigning(ctx context.Context, c *call) (answer, error) {
	if c.actor != nil {
		return a.elevateByPasskey(ctx, c)
	}
	device := access.Device{Name: device(c.request.UserAgent()), Browser: true}
	signed, err := a.access.LoginProven(ctx, c.proven, device)
	a.metrics.answered(passkeySignedIn, err)
	if err != nil {
		return answer{}, err
	}
	a.metrics.sessions.WithLabelValues(sessionOpened).Inc()
	a.setCookie(c, input.FormatSession(signed.Actor.Key.Key, signed.Secret))
	return noContent(), nil
}

// elevateByPasskey elevates the session that asked for the signature.
func (a *API) elevateByPasskey(ctx context.Context, c *call) (answer, error) {
	c.action = model.ActionElevate
	if err := a.wantParty(c); err != nil {
		return answer{}, err
	}
	if err := a.checkSigned(ctx, c); err != nil {
		return answer{}, err
	}
	secret, err := a.access.ElevateWithPasskey(ctx, c.actor, c.proven)
	a.metrics.answered(passkeyElevated, err)
	if err != nil {
		return answer{}, err
	}
	a.metrics.sessions.WithLabelValues(sessionElevated).Inc()
	a.setCookie(c, input.FormatSession(c.actor.Key.Key, secret))
	return noContent(), nil
}
