package api

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"strconv"

	"signet/internal/access"
	"signet/internal/api/input"
	"signet/internal/api/wire"
	"signet/internal/identity"
	"signet/internal/model"
)

// Way is how a client reached the server, as far as cookies depend on it.
type Way int

const (
	Plain    Way = iota // plain HTTP: there are no sessions
	Loopback            // plain HTTP on this machine
	HTTPS
)

// cookieNames are the names of a session's cookie (contract, section 7). A browser takes
// the first one only over HTTPS and from the very host; on loopback not every browser
// takes it.
var cookieNames = map[Way]string{HTTPS: "__Host-signet", Loopback: "signet-session"}

// cookieName is the name of the cookie where the call was sent to; empty where there are no
// sessions. Cookies know no port, so that one that is not the scheme's own ends the name:
// servers on one host keep apart. A proxy may ask at another port than its clients do.
func (a *API) cookieName(c *call) string { return a.ported(c, cookieNames[c.way]) }

// ported ends the name of a cookie with the port where the call was sent to.
func (a *API) ported(c *call, name string) string {
	host, usual := c.request.Host, "80"
	if c.way == HTTPS {
		host, usual = cmp.Or(a.ownHost, host), "443"
	}
	_, port, err := net.SplitHostPort(host)
	if number, fault := strconv.ParseUint(port, 10, 16); err != nil || fault != nil || number == 0 || port == usual ||
		name == "" {
		return name
	}
	return name + "-" + port
}

func (w Way) scheme() string {
	if w == HTTPS {
		return "https"
	}
	return "http"
}

// directWay is how a client reached the server where there is no proxy.
func directWay(r *http.Request) Way {
	switch {
	case r.TLS != nil:
		return HTTPS
	case remoteAddress(r).IsLoopback():
		return Loopback
	}
	return Plain
}

// wantSafeWay notes by which way a call came, and refuses the one by which no cookie goes.
func (a *API) wantSafeWay(c *call) error {
	if c.way = a.way(c.request); a.cookieName(c) == "" {
		return model.Forbiddenf(codeHTTPSRequired, "A session takes HTTPS: its cookie would cross the network in clear.")
	}
	return nil
}

// setCookie gives the browser the cookie of a session; empty takes it away.
func (a *API) setCookie(c *call, value string) {
	cookie := http.Cookie{Name: a.cookieName(c), Value: value, Path: "/", Secure: c.way == HTTPS, HttpOnly: true,
		SameSite: http.SameSiteStrictMode}
	if value == "" {
		cookie.MaxAge = -1
	}
	c.writer.Header()["Set-Cookie"] = []string{cookie.String()}
}

// givesCredentials reports whether the call has credentials besides a cookie, which then
// counts for nothing.
func (c *call) givesCredentials() bool {
	return c.request.Header.Get("Authorization") != "" || c.endpoint.queryAuth && c.readQuery().Has("auth_basic")
}

// cookie returns the key and the secret of the session that the call comes from. sent says
// whether it names one at all: from a page of the server's own, or by going to a file.
func (a *API) cookie(c *call) (key, secret string, sent bool) {
	if len(c.request.Header["Cookie"]) == 0 {
		return "", "", false
	}
	c.way = a.way(c.request)
	name := a.cookieName(c)
	if name == "" || !c.mayBring(a.origins.Own(c.request, c.way.scheme())) {
		return "", "", false
	}
	return input.ParseSession(c.request.Header, name)
}

// mayBring reports whether a cookie counts for a request from a page of the server's own, or
// from elsewhere (contract, section 7). What a link or a picture in a message asks for, a
// browser asks for by itself, in the name of whoever looks at it: going to an address counts for
// files only, and a picture for what is shown as one.
func (c *call) mayBring(own bool) bool {
	mode, dest := c.request.Header.Get("Sec-Fetch-Mode"), c.request.Header.Get("Sec-Fetch-Dest")
	switch {
	case dest == "image":
		return own && c.endpoint.picture
	case mode == "navigate":
		return c.endpoint.file && (own || c.request.Method == http.MethodGet && dest == "document")
	}
	return own
}

// openSession finds out who calls by the cookie. One that opens nothing counts as no failed
// login: nobody guesses 256 bits, and a ward whose sessions ended over night must not be kept
// from signing in.
func (a *API) openSession(ctx context.Context, c *call) error {
	key, secret, sent := a.cookie(c)
	if !sent {
		return unauthenticated(codeCredentialsMissing, "Credentials are required: HTTP Basic with key and secret.")
	}
	c.tried = key
	actor, err := a.authenticator.OpenSession(ctx, key, secret, a.clientAddress(c.request))
	c.actor = actor
	return err
}

// signInToSession: POST /session: HTTP Basic as POST /v5/login takes it, or name and
// password in the body. That is read before anybody is known, so few may send it at a time.
func (a *API) signInToSession(ctx context.Context, c *call) error {
	if err := a.wantSafeWay(c); err != nil {
		return err
	}
	if key, secret, sent := a.cookie(c); sent {
		var err error
		c.before, err = a.authenticator.OpenSession(ctx, key, secret, a.clientAddress(c.request))
		if err != nil && !model.IsUnauthenticated(err) {
			return err
		}
	}
	if c.givesCredentials() {
		return a.signInByNameOrKey(ctx, c)
	}
	if err := a.readSmall(ctx, c); err != nil {
		return err
	}
	name, password, first := c.body.Text("username"), c.body.Text("password"), c.body.Text("first_start")
	if err := c.err(); err != nil {
		return err
	}
	if first != "" {
		return a.checkFirstStart(c, first)
	}
	if name == "" || password == "" {
		return unauthenticated(codeCredentialsMissing, "Credentials are required: username and password, or HTTP Basic.")
	}
	return a.checkPassword(ctx, c, name, password)
}

// checkFirstStart takes the secret of the link that a first start prints. From elsewhere
// than this machine it is never good, so that nothing is guessed and nothing counted.
func (a *API) checkFirstStart(c *call, secret string) error {
	if c.way != Loopback || a.firstStart == nil {
		return access.WrongCredentials()
	}
	return a.attempts.Password(a.clientAddress(c.request), "first start", secret, func() error {
		account, good := a.firstStart(secret)
		if !good {
			return access.WrongCredentials()
		}
		c.proven = access.FirstStart(account)
		return nil
	})
}

// startSession: POST /session. The browser's session of before ends: signing in leaves none
// behind that nobody sees any more.
func (a *API) startSession(ctx context.Context, c *call) (answer, error) {
	signed, err := a.logIn(ctx, c, access.Device{Name: device(c.request.UserAgent()), Browser: true})
	if err != nil {
		return answer{}, err
	}
	if c.before != nil && !c.before.Replaced() {
		if err := a.access.Logout(ctx, c.before); err != nil && !model.IsUnauthenticated(err) {
			return answer{}, err
		}
	}
	a.metrics.sessions.WithLabelValues(sessionOpened).Inc()
	a.setCookie(c, input.FormatSession(signed.Actor.Key.Key, signed.Secret))
	return noContent(), nil
}

// wireSession is what a page shows of who is signed in.
type wireSession struct {
	Account         wire.User              `json:"account"`
	AdministratorOf []model.OrganizationID `json:"administrator_of"`
	Operator        bool                   `json:"operator"`
	HasPassword     bool                   `json:"has_password"`
	HasPasskey      bool                   `json:"has_passkey"`
	SecondFactor    access.Factor          `json:"second_factor,omitempty"` // what the session lacks
	ElevatedUntil   wire.Time              `json:"elevated_until,omitzero"`
	Provider        *wire.IdentityChoice   `json:"provider,omitempty"` // that can elevate it
	Limits          sessionLimits          `json:"limits"`
}

// sessionLimits are what a page has to know before it sends; a limit that there is not is left out.
type sessionLimits struct {
	AttachmentBytes int64 `json:"attachment_bytes,omitempty"`
	MessageBytes    int   `json:"message_bytes,omitempty"`
}

// noSession answers callers who come without one. They are known, so that it is no 401,
// which would have a client ask for other credentials.
func noSession() error {
	return &model.Error{Kind: model.NotFound, Code: codeSessionMissing, Message: "These credentials belong to no session."}
}

// getSession: GET /session. That nobody is signed in is what a page asks, and no refusal.
func (a *API) getSession(ctx context.Context, c *call) (answer, error) {
	if c.actor == nil {
		return noContent(), nil
	}
	if !c.actor.Key.Session {
		return answer{}, noSession()
	}
	user, err := a.people.User(ctx, c.actor, "me", "")
	if err != nil {
		return answer{}, err
	}
	hasPassword, err := a.access.HasPassword(ctx, c.actor)
	if err != nil {
		return answer{}, err
	}
	lacks, hasPasskey, err := a.access.LackedBy(ctx, c.actor)
	if err != nil {
		return answer{}, err
	}
	out := wireSession{Account: c.User(user), AdministratorOf: c.actor.AdministratorOf(), Operator: c.actor.Operator,
		HasPassword: hasPassword, HasPasskey: hasPasskey, SecondFactor: lacks,
		Limits: sessionLimits{a.limits.AttachmentBytes, a.service.Limits().MessageBytes}}
	choice, found, err := a.identities.ChoiceOf(ctx, c.actor.Key.Scope)
	if err != nil {
		return answer{}, err
	}
	if found {
		out.Provider = &wire.ShownChoices([]identity.Choice{choice})[0]
	}
	if c.actor.Elevated {
		out.ElevatedUntil = wire.Time(c.actor.Key.Elevated)
	}
	return reply(out), nil
}

// endSession: DELETE /session.
func (a *API) endSession(ctx context.Context, c *call) (answer, error) {
	if !c.actor.Key.Session {
		return answer{}, noSession()
	}
	return a.logout(ctx, c)
}

// signInToElevate: POST /session/elevate, the one call where HTTP Basic goes beside the
// cookie: with an administrative key, in place of the password in the body.
func (a *API) signInToElevate(ctx context.Context, c *call) (err error) {
	given := c.givesCredentials()
	if _, _, sent := a.cookie(c); !sent && given {
		c.actor, err = a.authenticateKey(ctx, c)
		return err // whose is no session
	}
	if err := a.openSession(ctx, c); err != nil || !given {
		return err
	}
	c.beside, err = a.authenticateKey(ctx, c)
	return err
}

// elevateSession: POST /session/elevate.
func (a *API) elevateSession(ctx context.Context, c *call) (answer, error) {
	if !c.actor.Key.Session {
		return answer{}, noSession()
	}
	password := ""
	if c.beside == nil {
		password = c.body.RequiredText("password")
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	var secret string
	err := a.guardPassword(c, password, func() (err error) {
		secret, err = a.access.Elevate(ctx, c.actor, password, c.beside)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	a.metrics.sessions.WithLabelValues(sessionElevated).Inc()
	a.setCookie(c, input.FormatSession(c.actor.Key.Key, secret))
	return noContent(), nil
}

// lowerSession: DELETE /session/elevate.
func (a *API) lowerSession(ctx context.Context, c *call) (answer, error) {
	if !c.actor.Key.Session {
		return answer{}, noSession()
	}
	return noContent(), a.access.Lower(ctx, c.actor)
}
