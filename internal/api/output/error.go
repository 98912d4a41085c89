package output

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"signet/internal/api/wire"
	"signet/internal/model"
)

// statuses is the one table from kinds of errors to statuses.
var statuses = [...]int{
	model.Internal:        http.StatusInternalServerError,
	model.Invalid:         http.StatusBadRequest,
	model.Unauthenticated: http.StatusUnauthorized,
	model.Forbidden:       http.StatusForbidden,
	model.NotFound:        http.StatusNotFound,
	model.TooLarge:        http.StatusRequestEntityTooLarge,
	model.UnsupportedType: http.StatusUnsupportedMediaType,
	model.TooMany:         http.StatusTooManyRequests,
	model.Unavailable:     http.StatusServiceUnavailable,
	model.Lost:            http.StatusInternalServerError,
}

// Status returns the status of a kind of errors; 0 where there is no such kind.
func Status(kind model.Kind) int {
	if kind < 0 || int(kind) >= len(statuses) {
		return 0
	}
	return statuses[kind]
}

// RetryAfter is how long a client waits where the cause names no time.
const RetryAfter = time.Second

// Refuse answers a request that does not come as far as the interface, as the
// interface does.
func Refuse(w http.ResponseWriter, r *http.Request, refusal *model.Error) {
	Error(w, r, Status(refusal.Kind), SetHeaders(w.Header(), r), refusal)
}

// Error is the one place that writes an error. The id is that of the request.
func Error(w http.ResponseWriter, r *http.Request, status int, id string, shown *model.Error) {
	errorHeaders(w.Header(), r, status, shown, basicChallenge)
	body := NewBody()
	defer body.Release()
	failure := wire.Failure{Status: "fail", Error: wire.Error{Status: status, Code: shown.Code, Message: shown.Message,
		Field: shown.Field, RequestID: id}}
	if err := body.Encode(failure); err != nil {
		panic(err) // texts and numbers always encode
	}
	Send(w, r, status, body.Bytes())
}

// ErrorAs writes an error of a body in a form of its own. challenges are the ways in which a client may say who it is.
func ErrorAs(w http.ResponseWriter, r *http.Request, status int, shown *model.Error, challenges []string,
	contentType string, form any) {
	errorHeaders(w.Header(), r, status, shown, challenges)
	body := NewBody()
	defer body.Release()
	if err := body.Encode(form); err != nil {
		panic(err) // texts and numbers always encode
	}
	SendAs(w, r, status, contentType, body.Bytes())
}

// errorHeaders says how to go on after an error.
func errorHeaders(h http.Header, r *http.Request, status int, shown *model.Error, challenges []string) {
	if status == http.StatusUnauthorized && len(r.Header["Sec-Fetch-Site"]) == 0 {
		// A browser, which alone has this header, would open a dialog of its own.
		h["WWW-Authenticate"] = challenges
	}
	if wait := shown.RetryAfter; wait > 0 {
		h["Retry-After"] = []string{strconv.Itoa(int(math.Ceil(wait.Seconds())))}
	} else if status == http.StatusServiceUnavailable {
		h["Retry-After"] = []string{strconv.Itoa(int(RetryAfter.Seconds()))}
	}
}

var basicChallenge = []string{`Basic realm="signet", charset="UTF-8"`}
