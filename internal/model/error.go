package model

import (
	"errors"
	"fmt"
	"time"
)

// Kind is the class of an error; the interface answers each with one status.
type Kind int

// The closed set of kinds (contract, section 1).
const (
	Internal        Kind = iota // 500: never the caller's fault
	Invalid                     // 400
	Unauthenticated             // 401
	Forbidden                   // 403
	NotFound                    // 404
	TooLarge                    // 413
	UnsupportedType             // 415
	TooMany                     // 429
	Unavailable                 // 503
	Lost                        // 500: what the server was to keep is not there, and its caller may know that
)

// Error is what a caller may be told. Anything else that a service returns is
// internal: logged whole, shown as one neutral sentence.
type Error struct {
	Kind       Kind
	Code       string        // stable and documented in docs/api/errors.md
	Message    string        // for people; may change
	Field      string        // the request field at fault, if one is
	RetryAfter time.Duration // how long to wait, for TooMany and Unavailable
	Cause      error         // for the log, never shown
}

func (e *Error) Error() string {
	text := e.Code + ": " + e.Message
	if e.Field != "" {
		text += " (" + e.Field + ")"
	}
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Cause }

// Is makes two errors of one kind and code equal, whatever they say.
func (e *Error) Is(target error) bool {
	other, ok := errors.AsType[*Error](target)
	return ok && other.Kind == e.Kind && other.Code == e.Code
}

// Invalidf is a request that cannot be carried out as written; field names the
// part at fault, or is empty where none is.
func Invalidf(code, field, format string, args ...any) *Error {
	return &Error{Kind: Invalid, Code: code, Field: field, Message: fmt.Sprintf(format, args...)}
}

// MaxName is how many characters a name has at most.
const MaxName = 256

// MaxFreeText is how many characters a text that a person makes up has at most.
const MaxFreeText = 1024

// TooLong answers a text of more than so many characters; nil to one that fits.
func TooLong(field, text string, limit int) error {
	if len([]rune(text)) > limit {
		return Invalidf("too_long", field, "At most %d characters are allowed.", limit)
	}
	return nil
}

// OrganizationHeader stands in errors for the header that names the organization of
// a call, whose name is the vendor's.
const OrganizationHeader = "Organization-Key"

// OrganizationRequired is the answer to a call that names no organization in a field.
func OrganizationRequired(field string) *Error {
	return Invalidf("organization_required", field, "The call must name an organization.")
}

// AddressTaken is the answer to one who wants an address that another account has.
func AddressTaken(kind AddressKind) *Error {
	return Invalidf("address_taken", kind.String(), "Another account has this %s.", kind)
}

// Forbiddenf is a refusal that may admit that its target exists.
func Forbiddenf(code, format string, args ...any) *Error {
	return &Error{Kind: Forbidden, Code: code, Message: fmt.Sprintf(format, args...)}
}

// NameFixed is the answer to who changes its own name, which its organization leaves to
// administrators.
func NameFixed(field string) *Error {
	e := Forbiddenf("name_fixed", "In an organization of the account, administrators give names.")
	e.Field = field
	return e
}

// NameTaken is the answer to who gives itself the display name of another member of its
// organization.
func NameTaken() *Error {
	return Invalidf("name_taken", "display_name", "Another member of an organization of the account has this name.")
}

// AdministrativeKeyRequired is the answer to a call that takes another key of the caller's.
func AdministrativeKeyRequired() *Error {
	return Forbiddenf("administrative_key_required", "The API key does not have access: it takes an administrative key.")
}

// NotAdministrator is the answer to one who is in the organization, and does not
// administer it.
func NotAdministrator() *Error {
	return Forbiddenf("not_administrator", "The API key does not have access: its account is no administrator of "+
		"the organization.")
}

// NotAllowed is the answer to a call that is for others.
func NotAllowed() *Error {
	return Forbiddenf("not_allowed", "The API key does not have access.")
}

// UnderHold is the answer to an erasure of what a legal hold keeps.
func UnderHold() *Error {
	return Forbiddenf("legal_hold", "The organization is under a legal hold: nothing of it may be erased.")
}

// UntilMidnight is the answer to one who has used up what a day (UTC) allows.
func UntilMidnight(code, message string, now time.Time) *Error {
	midnight := now.Truncate(24 * time.Hour).Add(24 * time.Hour)
	return &Error{Kind: TooMany, Code: code, Message: message, RetryAfter: midnight.Sub(now)}
}

// Missing is the one answer to what does not exist and to what the caller may
// not know exists. It is the same for both, whatever was asked for.
func Missing() *Error {
	return &Error{Kind: NotFound, Code: "not_found", Message: "The associated lookup was not found."}
}

// IsUnauthenticated reports whether an error says that credentials open nothing, or nothing
// any more.
func IsUnauthenticated(err error) bool {
	return isKind(err, Unauthenticated)
}

// IsNotFound reports whether err says that a lookup found nothing.
func IsNotFound(err error) bool {
	return isKind(err, NotFound)
}

// IsLost reports whether err says that something is lost on the server.
func IsLost(err error) bool {
	return isKind(err, Lost)
}

func isKind(err error, kind Kind) bool {
	told, ok := errors.AsType[*Error](err)
	return ok && told.Kind == kind
}
