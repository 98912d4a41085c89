package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Error is a refusal by the server (contract, section 1).
type Error struct {
	Status     int           `json:"status"`          // of HTTP
	Code       string        `json:"code"`            // stable and documented, such as recipient_required; empty if a proxy answered
	Message    string        `json:"message"`         // for people; may change
	Field      string        `json:"field,omitempty"` // the request field at fault, if one is
	RequestID  string        `json:"request_id"`      // what the operator finds the request by
	RetryAfter time.Duration `json:"-"`               // how long the server asks to wait; 0 if it does not say
}

// Error returns the status, code, message, field and request id in one line.
func (e *Error) Error() string {
	text := strconv.Itoa(e.Status)
	if e.Code != "" {
		text += " " + e.Code
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.Field != "" {
		text += " (field " + e.Field + ")"
	}
	if e.RequestID != "" {
		text += " [request " + e.RequestID + "]"
	}
	return text
}

// Is makes an error match another one that has its status and code; what the
// other leaves empty matches all.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && (other.Status != 0 || other.Code != "") &&
		(other.Status == 0 || other.Status == e.Status) && (other.Code == "" || other.Code == e.Code)
}

// Refusals to compare with by errors.Is: by status, and by code.
var (
	ErrBadRequest   error = &Error{Status: http.StatusBadRequest}
	ErrUnauthorized error = &Error{Status: http.StatusUnauthorized}
	ErrForbidden    error = &Error{Status: http.StatusForbidden}
	ErrNotFound     error = &Error{Status: http.StatusNotFound}
	ErrTooLarge     error = &Error{Status: http.StatusRequestEntityTooLarge}
	ErrTooMany      error = &Error{Status: http.StatusTooManyRequests}
	ErrUnavailable  error = &Error{Status: http.StatusServiceUnavailable}

	ErrDailyLimit           error = &Error{Code: "daily_limit"}
	ErrAddressTaken         error = &Error{Code: "address_taken"}
	ErrRequestIDReused      error = &Error{Code: "request_id_reused"}
	ErrTooManyExports       error = &Error{Code: "too_many_exports"}
	ErrOrganizationRequired error = &Error{Code: "organization_required"}
)

// What did not come from the server's judgement.
var (
	// ErrArgument is a request that was not sent, because it could never be right.
	ErrArgument = errors.New("wrong argument")
	// ErrProtocol is an answer that is not one of the interface.
	ErrProtocol = errors.New("not an answer of the interface")
	// ErrUnreachable is an attempt to which no answer came: the host is unknown, nobody listens there, TLS failed,
	// the connection broke, or the server was silent.
	ErrUnreachable = errors.New("no answer")
	// ErrSilent is an attempt that was given up because the server said nothing for too long.
	ErrSilent = errors.New("the server is silent")
	// ErrTooManyStreams is a stream that the server closed, because the account has opened more than it may.
	ErrTooManyStreams = errors.New("the account has too many event streams open")
	// ErrChanged is a download that cannot go on because its content is another one now.
	ErrChanged = errors.New("the content has changed")
)

// unanswered is an ErrUnreachable that says why, and nothing more.
type unanswered struct{ error }

func (u unanswered) Is(target error) bool { return target == ErrUnreachable }

func (u unanswered) Unwrap() error { return u.error }

// errorBodyLimit is how much of a refusal is read. A server's own is far
// shorter, and a proxy's page says nothing that is shown.
const errorBodyLimit = 64 << 10

// refusal turns an answer that is no success into an Error.
func refusal(resp *http.Response, body io.Reader) *Error {
	e := &Error{
		Status:     resp.StatusCode,
		RequestID:  resp.Header.Get("Request-Id"),
		RetryAfter: retryAfter(resp.Header),
	}
	var answer struct {
		Error Error `json:"error"`
	}
	text, _ := io.ReadAll(io.LimitReader(body, errorBodyLimit)) // half a page tells no less than none
	if json.Unmarshal(text, &answer) == nil {
		e.Code, e.Message, e.Field = answer.Error.Code, answer.Error.Message, answer.Error.Field
		if answer.Error.RequestID != "" {
			e.RequestID = answer.Error.RequestID
		}
	}
	if e.Message == "" {
		e.Message = http.StatusText(resp.StatusCode)
		if to := resp.Header.Get("Location"); to != "" && resp.StatusCode/100 == 3 {
			e.Message = fmt.Sprintf("The server redirects to %s: give that as the base URL.", to)
		}
	}
	return e
}

// retryAfter reads both forms of Retry-After. A date is measured against the
// answer's own Date, since the two machines' clocks may differ.
func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if value == "" {
		return 0
	}
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(max(0, min(seconds, 1<<30))) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	return max(0, at.Sub(now))
}
