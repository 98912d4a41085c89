package api

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"signet/internal/model"
)

// cors lets pages of the configured origins call the interface from a browser.
// With no origins it is off, and nothing of it is to be seen.
type cors struct {
	origins []string
	own     string // origin of the server's own pages, where its URL is configured
	prefix  string // of the vendor's headers, in lower case
	allowed string // request headers
	exposed []string
}

// preflightAge is how many seconds a browser may remember a preflight.
const preflightAge = "3600"

func newCORS(origins []string, baseURL string, v vendor) cors {
	// One by one: browsers take no wildcard for requests with credentials.
	request := []string{"Authorization", "Content-Type", "Last-Event-ID", "Request-ID",
		"Range", "If-None-Match", // of downloads
		v.organizationKey, v.features, v.entityType}
	response := []string{"Request-Id", v.organizationKey, v.messageID, v.messageTTL, v.groupToken, v.groupAvatar,
		"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After", "ETag", "Content-Disposition",
		"Content-Length", "Content-Range", "Accept-Ranges"}
	var own string
	if u, err := url.Parse(baseURL); err == nil && u.Host != "" {
		own = strings.ToLower(u.Scheme + "://" + u.Host)
	}
	return cors{
		origins: origins,
		own:     own,
		prefix:  strings.ToLower(v.prefix),
		allowed: strings.Join(request, ", "),
		exposed: []string{strings.Join(response, ", ")},
	}
}

// allows reports whether pages of an origin may call. Browsers write origins in
// one way only, so they are compared as they are.
func (c *cors) allows(origin string) bool {
	return origin != "" && slices.Contains(c.origins, origin)
}

// setHeaders sets what an answer tells a browser. Answers differ by origin, and
// caches have to know.
func (c *cors) setHeaders(h http.Header, r *http.Request) {
	if len(c.origins) == 0 {
		return
	}
	h["Vary"] = []string{"Origin"}
	if origin := r.Header.Get("Origin"); c.allows(origin) {
		h["Access-Control-Allow-Origin"] = []string{origin}
		h["Access-Control-Allow-Credentials"] = []string{"true"}
		h["Access-Control-Expose-Headers"] = c.exposed
	}
}

// isPreflight reports whether a request asks what an allowed origin may send.
func (c *cors) isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" &&
		c.allows(r.Header.Get("Origin"))
}

// IsPreflight reports whether a request asks what a page of an allowed origin may send.
func (a *API) IsPreflight(r *http.Request) bool { return a.cors.isPreflight(r) }

// SetCrossOrigin sets what pages of other origins are told with every answer, for one
// that is not the interface's own.
func (a *API) SetCrossOrigin(h http.Header, r *http.Request) { a.cors.setHeaders(h, r) }

// answerPreflight answers a preflight. Any header of the vendor's is allowed,
// those that this version does not know included.
func (a *API) answerPreflight(_ context.Context, c *call) (answer, error) {
	var allowed strings.Builder
	allowed.WriteString(a.cors.allowed)
	for asked := range strings.SplitSeq(c.request.Header.Get("Access-Control-Request-Headers"), ",") {
		asked = strings.TrimSpace(asked)
		if strings.HasPrefix(strings.ToLower(asked), a.cors.prefix) && isToken(asked) {
			allowed.WriteString(", " + asked)
		}
	}
	return noContent(
		header{"Access-Control-Allow-Methods", c.allow},
		header{"Access-Control-Allow-Headers", allowed.String()},
		header{"Access-Control-Max-Age", preflightAge},
	), nil
}

// isToken reports whether a header's name is made of letters, digits and dashes.
func isToken(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-':
		default:
			return false
		}
	}
	return len(name) <= 64
}

// checkOrigin refuses what a foreign page makes a browser send, where that could
// change something or open a WebSocket, unless its origin is configured
// (contract, section 1).
func (a *API) checkOrigin(_ context.Context, c *call) error {
	r := c.request
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		changes := c.endpoint.changes
		if len(r.Header["Upgrade"]) == 0 && (changes == nil || !changes(c)) {
			return nil
		}
	}
	origin := r.Header.Get("Origin")
	site := r.Header.Get("Sec-Fetch-Site")
	foreign := site == "cross-site" || site == "same-site"
	switch {
	case len(r.Header["Origin"]) > 1:
	case a.cors.allows(origin):
		return nil
	case !foreign && (origin == "" || origin == a.cors.own || sameOrigin(origin, r.Host)):
		return nil
	}
	return model.Forbiddenf(codeOriginRefused, "Pages of this origin may not call the interface.")
}

// sameOrigin reports whether an origin is the host that the request was sent to.
// Its scheme is not compared: behind a proxy that ends TLS it is not known. Behind
// one that changes the host too, the configured URL tells.
func sameOrigin(origin, host string) bool {
	scheme, site, _ := strings.Cut(origin, "://")
	var port string
	switch scheme {
	case "http":
		port = ":80"
	case "https":
		port = ":443"
	default:
		return false
	}
	return site != "" && strings.EqualFold(strings.TrimSuffix(site, port), strings.TrimSuffix(host, port))
}
