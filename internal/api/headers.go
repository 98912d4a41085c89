package api

import (
	"math/rand/v2"
	"net/http"
	"net/textproto"

	"github.com/google/uuid"
)

// vendor holds the names that published clients have built in: the headers in
// the spelling of the contract, and what starts every type.
type vendor struct {
	namespace string
	prefix    string // TT-X-

	organizationField string // organizationKey as net/http keeps a request's headers

	organizationKey string // TT-X-Organization-Key, and so on
	features        string
	entityType      string
	messageID       string
	messageTTL      string
	groupToken      string
	groupAvatar     string
}

func newVendor(prefix, namespace string) vendor {
	prefix += "-X-"
	return vendor{
		namespace:         namespace,
		prefix:            prefix,
		organizationField: textproto.CanonicalMIMEHeaderKey(prefix + "Organization-Key"),
		organizationKey:   prefix + "Organization-Key",
		features:          prefix + "Features",
		entityType:        prefix + "Type",
		messageID:         prefix + "Message-Id",
		messageTTL:        prefix + "Msg-Ttl",
		groupToken:        prefix + "Group-Token",
		groupAvatar:       prefix + "Group-Avatar",
	}
}

// Values of headers that never change, so that an answer need not make them.
var (
	noStore = []string{"no-store"}
	noSniff = []string{"nosniff"}
)

// setHeaders sets what every answer has, and returns the id of the request.
func (a *API) setHeaders(h http.Header, r *http.Request) string {
	sent := r.Header["Request-Id"]
	if len(sent) != 1 || !validRequestID(sent[0]) {
		sent = []string{newRequestID()}
	}
	h["Request-Id"] = sent
	h["Cache-Control"] = noStore
	h["X-Content-Type-Options"] = noSniff
	a.origins.SetHeaders(h, r)
	return sent[0]
}

// validRequestID reports whether a client's Request-ID is 1 to 128 visible ASCII
// characters (contract, section 5.1).
func validRequestID(id string) bool {
	const longest = 128
	if id == "" || len(id) > longest {
		return false
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}

// newRequestID makes an id for a request without one: a random UUID. It only has
// to be different from others, which needs no system call.
func newRequestID() string {
	var id uuid.UUID
	high, low := rand.Uint64(), rand.Uint64()
	for i := range 8 {
		id[i], id[8+i] = byte(high>>(8*i)), byte(low>>(8*i))
	}
	id[6] = id[6]&0x0f | 0x40 // version 4
	id[8] = id[8]&0x3f | 0x80 // RFC 9562
	return id.String()
}
