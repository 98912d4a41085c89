package store

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"

	"signet/internal/model"
)

// Payload is what an event that carries no message says. It names accounts and groups;
// what they look like is read when the event is, but for the name of a group that its reader
// has left by then.
type Payload struct {
	Account      model.AccountID      `json:"account,omitzero"`
	Status       model.Status         `json:"status,omitempty"`
	Time         int64                `json:"time,omitempty"` // milliseconds
	Recalled     bool                 `json:"recalled,omitempty"`
	Added        bool                 `json:"added,omitempty"`
	Entity       model.EntityID       `json:"entity,omitzero"`
	Group        bool                 `json:"group,omitempty"`
	Caller       model.AccountID      `json:"caller,omitzero"`
	State        string               `json:"state,omitempty"`
	Organization model.OrganizationID `json:"organization,omitempty"` // that asks, where the event is of another one
	Action       string               `json:"action,omitempty"`
	Minutes      int                  `json:"minutes,omitempty"`
	Name         string               `json:"name,omitempty"` // that the group had
	Sort         int64                `json:"sort,omitempty"` // of the note in the group's history that tells the same
	Step         int                  `json:"step,omitempty"` // of an escalation
	To           string               `json:"to,omitempty"`   // tokens with blanks between: whom the step asked
}

// Encode returns the stored form: JSON, or a shorter form of a status alone.
func (p Payload) Encode() []byte {
	if inShort(p.Status) && p == (Payload{Account: p.Account, Status: p.Status, Time: p.Time}) {
		return p.encodeStatus()
	}
	text, err := json.Marshal(p)
	if err != nil {
		panic(fmt.Sprintf("encode event: %v", err)) // the struct holds nothing that cannot be encoded
	}
	return text
}

// inShort reports whether a status alone is stored in the short form.
func inShort(s model.Status) bool { return s >= model.Delivered && s <= model.Confirmed }

// encodeStatus is the form of a status, of which each message leaves one or more: its
// digit, the account (shortName), and the time to base 36.
func (p Payload) encodeStatus() []byte {
	text := make([]byte, 0, 1+shortNameLen+9)
	text = strconv.AppendInt(text, int64(p.Status), 10)
	text = base64.RawStdEncoding.AppendEncode(text, p.Account[:])
	return strconv.AppendInt(text, p.Time, 36)
}

// ParsePayload reads what Encode wrote.
func ParsePayload(text []byte) (p Payload, err error) {
	if len(text) == 0 || text[0] == '{' {
		err = json.Unmarshal(text, &p)
		return p, err
	}
	if len(text) <= 1+shortNameLen {
		return p, fmt.Errorf("a status of %d bytes is too short", len(text))
	}
	if p.Status = model.Status(text[0] - '0'); !inShort(p.Status) {
		return p, fmt.Errorf("%q is no status", text[0])
	}
	if _, err := base64.RawStdEncoding.Strict().Decode(p.Account[:], text[1:1+shortNameLen]); err != nil {
		return p, fmt.Errorf("account of a status: %w", err)
	}
	p.Time, err = strconv.ParseInt(string(text[1+shortNameLen:]), 36, 64)
	return p, err
}

// shortNameLen is how many bytes shortName has.
const shortNameLen = 22

// shortName is how the payload of a status names an account.
func shortName(id model.AccountID) string { return base64.RawStdEncoding.EncodeToString(id[:]) }

// PayloadNames are the texts by which payloads name an account.
func PayloadNames(id model.AccountID) [2]string { return [2]string{id.String(), shortName(id)} }

// PayloadOrganization is what a payload has of the organization that asks.
func PayloadOrganization(id model.OrganizationID) string {
	return `"organization":"` + string(id) + `"`
}

// PayloadCaller is what a payload has of the one who changed a group. What is left without it is a
// payload, too.
func PayloadCaller(id model.AccountID) string { return `,"caller":"` + id.String() + `"` }
