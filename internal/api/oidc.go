package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"signet/internal/access"
	"signet/internal/api/input"
	"signet/internal/api/wire"
	"signet/internal/identity"
	"signet/internal/model"
)

// browserNames are the names of the cookie by which a sign-in is known to end in the browser that began it. It comes
// back from the provider's page, which no cookie of a session does.
var browserNames = map[Way]string{HTTPS: "__Host-signet-oidc", Loopback: "signet-oidc"}

// oidcURL is where a provider finds the server.
func (c *call) oidcURL(organization model.OrganizationID, what string) string {
	return c.Base + "/v2/session/oidc/" + string(organization) + "/" + what
}

// browser returns what the cookie of the browser says; empty where it has none, or not one that the server wrote.
func (a *API) browser(c *call) string {
	name := a.ported(c, browserNames[c.way])
	r := http.Request{Header: http.Header{"Cookie": c.request.Header["Cookie"]}}
	if found := r.CookiesNamed(name); name != "" && len(found) == 1 && !found[0].Quoted &&
		strings.Trim(found[0].Value, model.Base62) == "" {
		return found[0].Value
	}
	return ""
}

// setBrowser gives the browser that cookie, for as long as a sign-in may take.
func (a *API) setBrowser(c *call, value string) {
	cookie := http.Cookie{Name: a.ported(c, browserNames[c.way]), Value: value, Path: "/", Secure: c.way == HTTPS,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, MaxAge: int(model.SignInLife.Seconds())}
	c.writer.Header()["Set-Cookie"] = []string{cookie.String()}
}

// start is where a sign-in begins, in this browser. One that begins several has one cookie.
func (a *API) start(c *call, organization model.OrganizationID) (identity.Start, error) {
	if err := a.wantSafeWay(c); err != nil {
		return identity.Start{}, err
	}
	b := identity.Start{Organization: organization, Browser: a.browser(c), Redirect: c.oidcURL(organization, "callback")}
	if b.Browser == "" {
		b.Browser = identity.NewBrowser()
	}
	return b, nil
}

// countAddress counts a call of nobody against the rate of its client.
func (a *API) countAddress(c *call) error {
	_, err := a.rates.Take(&model.Key{Counter: "client:" + model.ClientOf(a.clientAddress(c.request)).String()})
	return err
}

// getProviders: GET /session/providers.
func (a *API) getProviders(ctx context.Context, c *call) (answer, error) {
	if err := a.countAddress(c); err != nil {
		return answer{}, err
	}
	login := c.readQuery().Text("login")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	all, err := a.identities.Choices(ctx, login)
	if err != nil {
		return answer{}, err
	}
	return reply(wire.ShownChoices(all)), nil
}

// beginOIDC: GET /session/oidc/:id.
func (a *API) beginOIDC(ctx context.Context, c *call) (answer, error) {
	if err := a.countAddress(c); err != nil {
		return answer{}, err
	}
	q := c.readQuery()
	c.back = q.Text("return")
	if err := a.origins.CheckOwn(c.request); err != nil {
		return answer{}, err // else any page could sign somebody in to an account that it has chosen
	}
	b, err := a.start(c, model.OrganizationID(c.path("provider")))
	if err != nil {
		return answer{}, err
	}
	b.Return, b.Hint = q.Text("return"), q.Text("login")
	if q.Has("port") {
		b.Command = &identity.CommandLine{Port: q.Int("port"), State: q.Text("state"), Challenge: q.Text("challenge")}
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	to, err := a.identities.Begin(ctx, b)
	if err != nil {
		return answer{}, err
	}
	a.setBrowser(c, b.Browser)
	return answer{status: http.StatusFound, headers: []header{{"Location", to}}}, nil
}

// finishOIDC: GET /session/oidc/:id/callback.
func (a *API) finishOIDC(ctx context.Context, c *call) (answer, error) {
	c.action = model.ActionLogin
	if err := a.countAddress(c); err != nil {
		return answer{}, err
	}
	if err := a.wantSafeWay(c); err != nil {
		return answer{}, err
	}
	q := c.readQuery()
	code := q.Text("code")
	callback := identity.Callback{Organization: model.OrganizationID(c.path("provider")), State: q.Text("state"),
		Code: code, Issuer: q.Text("iss"), Error: q.Text("error"), Browser: a.browser(c)}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	done, err := a.identities.Finish(ctx, callback)
	c.back = done.Return
	if err != nil {
		return answer{}, err
	}
	switch {
	case done.Proven != nil:
		signed, err := a.access.LoginProven(ctx, done.Proven,
			access.Device{Name: device(c.request.UserAgent()), Browser: true})
		if err != nil {
			return answer{}, err
		}
		a.metrics.sessions.WithLabelValues(sessionOpened).Inc()
		a.setCookie(c, input.FormatSession(signed.Actor.Key.Key, signed.Secret))
	case done.Session != "":
		a.metrics.sessions.WithLabelValues(sessionElevated).Inc()
		a.setCookie(c, input.FormatSession(done.Session, done.Secret))
	}
	return answer{status: http.StatusSeeOther, headers: []header{{"Location", done.Return}}}, nil
}

// elevateOIDC: POST /session/oidc/:id/elevate.
func (a *API) elevateOIDC(ctx context.Context, c *call) (answer, error) {
	b, err := a.start(c, model.OrganizationID(c.path("provider")))
	if err != nil {
		return answer{}, err
	}
	b.Return = c.body.Text("return")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	to, err := a.identities.Elevate(ctx, c.actor, b)
	if err != nil {
		return answer{}, err
	}
	a.setBrowser(c, b.Browser)
	return reply(map[string]string{"url": to}), nil
}

// readSmall reads the body of a call of nobody, of which few may send one at a time.
func (a *API) readSmall(ctx context.Context, c *call) error {
	leave, err := a.pending.Enter(a.clientAddress(c.request))
	if err != nil {
		return err
	}
	defer leave()
	return a.readBody(ctx, c)
}

// signInByCode: POST /session/oidc/:id/key, with which a command line exchanges its code for a key.
func (a *API) signInByCode(ctx context.Context, c *call) error {
	if err := a.countAddress(c); err != nil {
		return err
	}
	if err := a.readSmall(ctx, c); err != nil {
		return err
	}
	code, verifier := c.body.RequiredText("code"), c.body.RequiredText("code_verifier")
	if err := c.err(); err != nil {
		return err
	}
	var err error
	c.proven, err = a.identities.Exchange(ctx, model.OrganizationID(c.path("provider")), code, verifier)
	return err
}

// logoutOIDC: POST /session/oidc/:id/logout (OpenID Connect Back-Channel Logout 1.0). A wrong token costs a look at the
// keys of the issuer, so it is counted as a failed login: of its address alone, since strangers elsewhere must not hold
// up what ends a leaver's sessions.
func (a *API) logoutOIDC(ctx context.Context, c *call) (answer, error) {
	c.action = model.ActionLogout
	provider, token := c.path("provider"), c.body.RequiredText("logout_token")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	var refused error
	from := a.clientAddress(c.request)
	err := a.attempts.Password(from, "oidc:"+provider+" "+model.ClientOf(from).String(), "", func() error {
		if _, refused = a.identities.Logout(ctx, model.OrganizationID(provider), token); isForbidden(refused) {
			return access.WrongCredentials()
		}
		return refused
	})
	if isForbidden(refused) && (err == nil || model.IsUnauthenticated(err)) {
		return answer{}, model.Invalidf("logout_token_invalid", "logout_token", "The token is none of this provider, of now.")
	}
	return noContent(), err
}

func isForbidden(err error) bool {
	told, ok := asModel(err)
	return ok && told.Kind == model.Forbidden
}

// goesTo reports whether a browser goes to an address, to show what is there.
func goesTo(r *http.Request) bool {
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" {
		return mode == "navigate"
	}
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}

// sendBack sends a browser to the page that shows why it was not signed in.
func (a *API) sendBack(c *call, shown *model.Error) {
	back := c.back
	if !model.ValidReturn(back) {
		back = "/"
	}
	to, err := url.Parse(back)
	if err != nil {
		to = &url.URL{Path: "/"}
	}
	query := to.Query()
	query.Set("sign_in", shown.Code)
	to.RawQuery = query.Encode()
	c.writer.Header()["Location"] = []string{to.String()}
	c.writer.WriteHeader(http.StatusSeeOther)
}
