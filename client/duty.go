package client

import (
	"context"
	"io"
	"time"
)

// DutyRotation has people on duty one after the other, for a number of hours each.
type DutyRotation struct {
	Accounts []string  `json:"accounts"` // addresses; an empty one is nobody's turn
	Start    time.Time `json:"start"`    // of the first turn, on a whole minute
	Hours    int       `json:"hours"`    // of a turn, as the clock of the time zone shows them
}

// Override has somebody on duty in place of whoever's turn it is.
type Override struct {
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Account string    `json:"account"` // an address; empty where it has left since
}

// Rota says who is on duty, and so in a group.
type Rota struct {
	Timezone  string        `json:"timezone"` // its name in the IANA database
	Rotation  *DutyRotation `json:"rotation,omitempty"`
	Overrides []Override    `json:"overrides,omitempty"` // of those at one time the last counts
	Always    []string      `json:"always,omitempty"`    // addresses of those who are in the group at any time
	Fallback  []string      `json:"fallback,omitempty"`  // addresses of those who are while nobody is on duty
}

// Shift is a time in which one account is on duty.
type Shift struct {
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Account  string    `json:"account"` // user token
	Override bool      `json:"override"`
}

// Duty is who is on duty for a group, with its rota, in which users are tokens.
type Duty struct {
	Rota
	OnDuty []User  `json:"on_duty"` // none: nobody is, and the fallback is in the group
	Shifts []Shift `json:"shifts"`  // whole, in their order
	People []User  `json:"people"`  // whom rotation, overrides and fallback name
}

// SetDuty gives a group a rota, by which its members change from then on (POST /group/:group/duty): its
// creator or an administrator.
func (c *Client) SetDuty(ctx context.Context, group string, r Rota) error {
	return c.run(ctx, post(r, "group", group, "duty").harmless())
}

// Duty returns who is on duty for a group, and the shifts of a span (GET /group/:group/duty); where a time
// is zero, from now on, and for two weeks.
func (c *Client) Duty(ctx context.Context, group string, from, to time.Time) (*Duty, error) {
	return fetch[Duty](ctx, c, within(get("group", group, "duty"), from, to))
}

// DutyCalendar returns the same as a calendar (GET /group/:group/duty.ics): text/calendar, RFC 5545.
func (c *Client) DutyCalendar(ctx context.Context, group string, from, to time.Time) ([]byte, error) {
	d, err := c.open(ctx, within(get("group", group, "duty.ics"), from, to), 0, "")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return io.ReadAll(d)
}

// EndDuty takes the rota of a group away, whose members stay who they are (DELETE /group/:group/duty).
func (c *Client) EndDuty(ctx context.Context, group string) error {
	return c.run(ctx, remove("group", group, "duty"))
}

// within asks a call for a span of time.
func within(r *request, from, to time.Time) *request {
	for name, at := range map[string]time.Time{"from": from, "to": to} {
		if !at.IsZero() {
			r = r.with(name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	return r
}
