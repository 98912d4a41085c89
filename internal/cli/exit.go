package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"signet/client"
	"signet/internal/commandline"
	"signet/internal/handover"
	"signet/internal/home"
	"signet/internal/model"
)

// The exit codes of every command. exitMeanings says when each is used.
const (
	exitDone        = 0
	exitFailed      = 1
	exitWrong       = 2
	exitRefused     = 3
	exitNotFound    = 4
	exitCredentials = 5
	exitUnreachable = 6
	exitLimited     = 7
)

// exitMeanings are the exit codes in words, by their number. The help of the program, the manual
// pages and docs/operate/tasks.md print them.
var exitMeanings = []string{
	exitDone:        "done",
	exitFailed:      "failed, or the command found something wrong",
	exitWrong:       "the command line, a setting or a file is wrong: trying again changes nothing",
	exitRefused:     "refused: this key may not do it, or the server cannot carry it out as asked",
	exitNotFound:    "not found, or out of this key's sight",
	exitCredentials: "the server does not accept the credentials",
	exitUnreachable: "no server answers there, or it cannot at present: try again later",
	exitLimited:     "a limit is reached: try again later",
}

// exitTable is exitMeanings for a help text.
func exitTable() string {
	var out strings.Builder
	for code, meaning := range exitMeanings {
		fmt.Fprintf(&out, "  %d  %s\n", code, meaning)
	}
	return out.String()
}

// exitCode is the exit code of a command that ended with an error; nil is exitDone.
func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	if errors.As(err, new(wrongConfiguration)) || errors.As(err, new(home.Misconfigured)) ||
		errors.Is(err, client.ErrArgument) {
		return exitWrong
	}
	if refused, ok := errors.AsType[*client.Error](err); ok {
		return exitOfStatus(refused.Status)
	}
	if refused, ok := errors.AsType[*model.Error](err); ok { // of a command that works on the data
		return exitOfKind(refused.Kind)
	}
	if isUnreachable(err) {
		return exitUnreachable
	}
	return exitFailed
}

// exitOfStatus is the exit code for the HTTP status of a refusal.
func exitOfStatus(status int) int {
	switch status {
	case http.StatusUnauthorized:
		return exitCredentials
	case http.StatusNotFound:
		return exitNotFound
	case http.StatusTooManyRequests:
		return exitLimited
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return exitUnreachable
	}
	if status >= 500 {
		return exitFailed
	}
	return exitRefused
}

// exitOfKind is exitOfStatus for what a use case refused on this machine.
func exitOfKind(kind model.Kind) int {
	switch kind {
	case model.NotFound:
		return exitNotFound
	case model.Invalid, model.Forbidden, model.TooLarge, model.UnsupportedType:
		return exitRefused
	case model.TooMany:
		return exitLimited
	case model.Unavailable:
		return exitUnreachable
	default:
		return exitFailed
	}
}

// isUnreachable reports whether nothing that speaks the interface answered, or no server that hands over.
func isUnreachable(err error) bool {
	if errors.Is(err, context.Canceled) { // the command was interrupted
		return false
	}
	return errors.Is(err, client.ErrUnreachable) || errors.Is(err, client.ErrSilent) ||
		errors.Is(err, client.ErrProtocol) || errors.Is(err, handover.ErrNobody)
}

// failure is an error as --json shows it. What the server did not say is left out.
type failure struct {
	Exit       int    `json:"exit"` // the exit code
	Message    string `json:"message"`
	Status     int    `json:"status,omitempty"` // of HTTP
	Code       string `json:"code,omitempty"`   // of docs/api/errors.md
	Field      string `json:"field,omitempty"`
	RequestID  string `json:"request_id,omitempty"`
	RetryAfter int    `json:"retry_after,omitempty"` // in seconds, rounded up
}

// fail says on standard error what went wrong, and returns code: each line with the program's name, or
// with --json as one object {"error": {...}}.
func (c *console) fail(err error, code int) int {
	if errors.As(err, new(told)) {
		return code
	}
	if !c.asJSON {
		commandline.Complain(c.stderr, program, err)
		return code
	}
	f := failure{Exit: code, Message: err.Error()}
	if refused, ok := errors.AsType[*client.Error](err); ok {
		f.Status, f.Code, f.Field, f.RequestID = refused.Status, refused.Code, refused.Field, refused.RequestID
		f.RetryAfter = int((refused.RetryAfter + time.Second - 1) / time.Second)
	} else if refused, ok := errors.AsType[*model.Error](err); ok {
		f.Code, f.Field = refused.Code, refused.Field
	}
	_ = encodeLine(c.stderr, map[string]failure{"error": f})
	return code
}

// note tells on standard error what is no result and no failure: as a line with the program's name, or
// with --json as {"note": "..."}.
func (c *console) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if c.asJSON {
		_ = encodeLine(c.stderr, map[string]string{"note": text})
		return
	}
	fmt.Fprintf(c.stderr, "%s: %s\n", program, text)
}

// wantsJSON reports whether a command line asks for JSON. It is asked before the command line is
// understood, so that an error in it is told as JSON too.
func wantsJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}
