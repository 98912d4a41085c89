package api

import (
	"context"
	"net/http"
	"strconv"

	"signet/internal/access"
	"signet/internal/api/guard"
	"signet/internal/model"
)

func newOrigins(o *Options, v *vendor) guard.Origins {
	return guard.NewOrigins(o.CORSOrigins, o.OwnURL, v.prefix,
		[]string{v.organizationKey, v.features, v.entityType},
		[]string{v.organizationKey, v.messageID, v.messageTTL, v.groupToken, v.groupAvatar, v.continuation})
}

// checkOrigin refuses what a foreign page makes a browser send, where that could
// change something or open a WebSocket (contract, section 1).
func (a *API) checkOrigin(_ context.Context, c *call) error {
	r := c.request
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		changes := c.endpoint.changes
		if len(r.Header["Upgrade"]) == 0 && (changes == nil || !changes(c)) {
			return nil
		}
	}
	if c.endpoint.own {
		return a.origins.CheckOwn(r)
	}
	return a.origins.Check(r)
}

// answerPreflight answers what a page of an allowed origin asks before it calls.
func (a *API) answerPreflight(_ context.Context, c *call) (answer, error) {
	const age = "3600" // seconds for which a browser may remember the answer
	return noContent(
		header{"Access-Control-Allow-Methods", c.allow},
		header{"Access-Control-Allow-Headers", a.origins.AllowedHeaders(c.request)},
		header{"Access-Control-Max-Age", age},
	), nil
}

// countRate counts the call against the rate of its key and sets the headers
// that tell what is left.
func (a *API) countRate(_ context.Context, c *call) error {
	key := c.rated()
	if key == nil {
		return nil
	}
	left, err := a.ratesOf(c).Take(key)
	c.showRate(left)
	return err
}

// ratesOf are the counters of a call.
func (a *API) ratesOf(c *call) *guard.Rates {
	if c.endpoint.scim {
		return a.scimRates
	}
	return a.rates
}

// rated returns the key by which the call is counted, or nil where nobody was found out.
// Where a password was given it is what the sign-ins of its account share.
func (c *call) rated() *model.Key {
	switch {
	case c.actor != nil:
		return &c.actor.Key
	case c.proven != nil:
		return &model.Key{Counter: c.proven.Counter()}
	}
	return nil
}

// charge counts what a call costs beyond its first token, once that is known (cost.go).
// The call goes on; the next ones of its key are refused until that is paid for.
func (a *API) charge(c *call, tokens int) {
	if tokens > 0 {
		c.showRate(a.ratesOf(c).Charge(&c.actor.Key, tokens))
	}
}

func (c *call) showRate(left guard.Quota) {
	if left.Limit > 0 {
		h := c.writer.Header()
		// Set directly, because http.Header.Set would change how the names are spelt.
		values := []string{strconv.Itoa(left.Limit), strconv.Itoa(left.Remaining), strconv.Itoa(left.Reset)}
		h["RateLimit-Limit"], h["RateLimit-Remaining"], h["RateLimit-Reset"] = values[0:1:1], values[1:2:2], values[2:3:3]
	}
}

// guardPassword counts a wrong password given along with a key as a failed login
// of the account, so that a key is no way to guess it.
func (a *API) guardPassword(c *call, password string, use func() error) error {
	if password == "" {
		return use()
	}
	var refused error
	err := a.attempts.Act(a.clientAddress(c.request), "password:"+c.actor.Account.String(), password, func() error {
		refused = use()
		if access.IsWrongPassword(refused) {
			return unauthenticated(codeCredentialsInvalid, "The password is wrong.")
		}
		return refused
	})
	if model.IsUnauthenticated(err) {
		return refused
	}
	return err
}

// IsPreflight reports whether a request asks what a page of an allowed origin may send.
func (a *API) IsPreflight(r *http.Request) bool { return a.origins.IsPreflight(r) }

// SetCrossOrigin sets what pages of other origins are told with every answer, for one
// that is not the interface's own.
func (a *API) SetCrossOrigin(h http.Header, r *http.Request) { a.origins.SetHeaders(h, r) }
