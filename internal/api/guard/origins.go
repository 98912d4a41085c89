package guard

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"signet/internal/model"
)

// Origins tells which pages in a browser may call: those of the configured origins
// (CORS), and the server's own. It does not change once made.
type Origins struct {
	allowed  []string // as browsers send them; none: CORS is off
	own      string   // origin of the server's own pages, where its URL is configured
	prefix   string   // of the vendor's headers, in lower case
	requests string   // headers that a page may send
	exposed  []string // headers that a page may read
}

// NewOrigins makes the rules for the allowed origins, and for the server's own pages,
// whose URL may be empty. Prefix is what the vendor's headers start with (`TT-X-`);
// requests and answers name those of its headers that a page sends and reads.
func NewOrigins(allowed []string, ownURL, prefix string, requests, answers []string) Origins {
	// One by one: browsers take no wildcard for requests with credentials.
	requests = append([]string{"Authorization", "Content-Type", "Last-Event-ID", "Request-ID",
		"Range", "If-None-Match"}, requests...) // the last two are of downloads
	answers = append(append([]string{"Request-Id"}, answers...),
		"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After", "ETag", "Content-Disposition",
		"Content-Length", "Content-Range", "Accept-Ranges")
	var own string
	if u, err := url.Parse(ownURL); err == nil && u.Host != "" {
		own = strings.ToLower(u.Scheme + "://" + u.Host)
	}
	return Origins{
		allowed:  allowed,
		own:      own,
		prefix:   strings.ToLower(prefix),
		requests: strings.Join(requests, ", "),
		exposed:  []string{strings.Join(answers, ", ")},
	}
}

// allows reports whether pages of an origin may call. Browsers write origins in
// one way only, so they are compared as they are.
func (o *Origins) allows(origin string) bool {
	return origin != "" && slices.Contains(o.allowed, origin)
}

// SetHeaders sets what each answer tells a browser. Answers differ by origin, and
// caches have to know.
func (o *Origins) SetHeaders(h http.Header, r *http.Request) {
	if len(o.allowed) == 0 {
		return
	}
	h["Vary"] = []string{"Origin"}
	if origin := r.Header.Get("Origin"); o.allows(origin) {
		h["Access-Control-Allow-Origin"] = []string{origin}
		h["Access-Control-Allow-Credentials"] = []string{"true"}
		h["Access-Control-Expose-Headers"] = o.exposed
	}
}

// IsPreflight reports whether a request asks what a page of an allowed origin may send.
func (o *Origins) IsPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" &&
		o.allows(r.Header.Get("Origin"))
}

// AllowedHeaders returns the headers that a preflight is told it may send. The vendor's
// are all among them, those that this version does not know included.
func (o *Origins) AllowedHeaders(r *http.Request) string {
	var allowed strings.Builder
	allowed.WriteString(o.requests)
	for asked := range strings.SplitSeq(r.Header.Get("Access-Control-Request-Headers"), ",") {
		asked = strings.TrimSpace(asked)
		if strings.HasPrefix(strings.ToLower(asked), o.prefix) && isToken(asked) {
			allowed.WriteString(", " + asked)
		}
	}
	return allowed.String()
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

// Check refuses what a foreign page makes a browser send, unless its origin is
// configured. It is for requests that change something or take the connection over.
//
// http.CrossOriginProtection does less: it lets every GET pass, those that take a connection
// over or take events out of the queue too.
func (o *Origins) Check(r *http.Request) error {
	if len(r.Header["Origin"]) == 1 && o.allows(r.Header.Get("Origin")) {
		return nil
	}
	return o.CheckOwn(r)
}

// CheckOwn refuses what any page makes a browser send but one of the server's own.
func (o *Origins) CheckOwn(r *http.Request) error {
	origin := r.Header.Get("Origin")
	site := r.Header.Get("Sec-Fetch-Site")
	foreign := site == "cross-site" || site == "same-site"
	switch {
	case len(r.Header["Origin"]) > 1:
	case !foreign && (origin == "" || origin == o.own || sameOrigin(origin, r.Host)):
		return nil
	}
	return model.Forbiddenf(CodeOriginRefused, "Pages of this origin may not call the interface.")
}

// Own reports whether a page of the server's own makes a browser send a request, for which a
// cookie counts (contract, section 7): Sec-Fetch-Site says so or, in a browser that does not
// send it, the origin, which is the scheme by which the server was called and the host.
func (o *Origins) Own(r *http.Request, scheme string) bool {
	if site := r.Header["Sec-Fetch-Site"]; len(site) > 0 {
		return len(site) == 1 && site[0] == "same-origin"
	}
	origin := r.Header["Origin"]
	return len(origin) == 1 && (o.own != "" && origin[0] == o.own ||
		strings.HasPrefix(origin[0], scheme+"://") && sameOrigin(origin[0], r.Host))
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

// SiteOf is where a URL leads, however it is written: browsers take many spellings of a host for one. A port that is
// left out may be that of either scheme, which behind a proxy that ends TLS is not known.
func SiteOf(u *url.URL) string {
	host := strings.TrimSuffix(u.Hostname(), ".")
	if plain, err := idna.Lookup.ToASCII(host); err == nil {
		host = strings.TrimSuffix(plain, ".")
	}
	if port := u.Port(); port != "" && port != "80" && port != "443" {
		host += ":" + port
	}
	return strings.ToLower(host)
}
