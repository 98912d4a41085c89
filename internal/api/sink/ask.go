package sink

import (
	"encoding/base64"
	"mime"
	"net/http"
	"strings"

	"signet/internal/model"
)

// AsksForEvents reports whether Accept names text/event-stream.
func AsksForEvents(h http.Header) bool {
	for _, line := range h.Values("Accept") {
		for value := range strings.SplitSeq(line, ",") {
			kind, params, err := mime.ParseMediaType(strings.TrimSpace(value))
			if err == nil && kind == "text/event-stream" && params["q"] != "0" {
				return true
			}
		}
	}
	return false
}

// AsksForSocket reports whether a request asks for a WebSocket.
func AsksForSocket(r *http.Request) bool {
	return headerHas(r.Header, "Upgrade", "websocket") && r.Proto == "HTTP/1.1"
}

// CheckHandshake refuses a request for a WebSocket that is none (RFC 6455, section
// 4.2.1). Accept would, too, but not in the shape of an error.
func CheckHandshake(r *http.Request) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(r.Header.Get("Sec-WebSocket-Key")))
	switch {
	case !headerHas(r.Header, "Connection", "Upgrade"):
		return model.Invalidf(CodeUpgradeInvalid, "Connection", "For a WebSocket, Connection has to name Upgrade.")
	case r.Header.Get("Sec-WebSocket-Version") != "13":
		return model.Invalidf(CodeUpgradeInvalid, "Sec-WebSocket-Version", "The version of a WebSocket has to be 13.")
	case len(r.Header["Sec-Websocket-Key"]) != 1, err != nil, len(key) != 16:
		return model.Invalidf(CodeUpgradeInvalid, "Sec-WebSocket-Key", "The key of a WebSocket has to be 16 bytes in base64.")
	}
	return nil
}

// headerHas reports whether a header lists a token.
func headerHas(h http.Header, name, token string) bool {
	for _, line := range h.Values(name) {
		for value := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(value), token) {
				return true
			}
		}
	}
	return false
}
