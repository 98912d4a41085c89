package output

import (
	"math/rand/v2"
	"net/http"

	"github.com/google/uuid"

	"signet/internal/model"
)

// Values of headers that never change, so that an answer need not make them.
var (
	noStore    = []string{"no-store"}
	noSniff    = []string{"nosniff"}
	noReferrer = []string{"no-referrer"}                         // an address may have credentials in it
	noPage     = []string{strictPolicy + "; connect-src 'self'"} // calls go on beside it
)

// strictPolicy is for what is no page: shown as one all the same, it loads nothing, leads
// nowhere, and stands in no frame.
const strictPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// SetHeaders sets what each answer of the server has (contract, section 1), and
// returns the id of the request: the client's own where it is one, else a new one.
func SetHeaders(h http.Header, r *http.Request) string {
	sent := r.Header["Request-Id"]
	if len(sent) != 1 || !model.ValidRequestID(sent[0]) {
		sent = []string{newRequestID()}
	}
	h["Request-Id"] = sent
	h["Cache-Control"] = noStore
	h["X-Content-Type-Options"] = noSniff
	h["Content-Security-Policy"] = noPage
	h["Referrer-Policy"] = noReferrer
	return sent[0]
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
