package wire

import (
	"signet/internal/model"
	"signet/internal/service"
)

// Duty is the rota of a group: who is on duty, and what was set.
type Duty struct {
	OnDuty    []User            `json:"on_duty"`
	Shifts    []Shift           `json:"shifts"`
	Timezone  string            `json:"timezone"`
	Rotation  *Rotation         `json:"rotation,omitempty"`
	Overrides []DutyOverride    `json:"overrides"`
	Always    []model.AccountID `json:"always"`
	Fallback  []model.AccountID `json:"fallback"`
	People    []User            `json:"people"`
}

// Shift is a time in which an account is on duty.
type Shift struct {
	From     Time            `json:"from"`
	To       Time            `json:"to"`
	Account  model.AccountID `json:"account"`
	Override bool            `json:"override"`
}

// Rotation has accounts on duty one after the other.
type Rotation struct {
	Accounts []string `json:"accounts"` // an empty one is nobody's turn
	Start    Time     `json:"start"`
	Hours    int      `json:"hours"`
}

// DutyOverride has an account on duty in place of whoever's turn it is.
type DutyOverride struct {
	From    Time   `json:"from"`
	To      Time   `json:"to"`
	Account string `json:"account"` // empty: it has left, and nobody is
}

// Duty shows the rota of a group.
func (v *View) Duty(d *service.DutyView) Duty {
	out := Duty{OnDuty: []User{}, Shifts: make([]Shift, len(d.Shifts)), Timezone: d.Rota.Timezone,
		Overrides: make([]DutyOverride, len(d.Rota.Overrides)), Always: d.Rota.Always, Fallback: d.Rota.Fallback,
		People: make([]User, len(d.People))}
	for _, e := range d.On {
		out.OnDuty = append(out.OnDuty, v.User(e))
	}
	for i, s := range d.Shifts {
		out.Shifts[i] = Shift{Time(s.From), Time(s.To), s.Account, s.Override}
	}
	if r := &d.Rota.Rotation; r.Hours > 0 {
		out.Rotation = &Rotation{Accounts: make([]string, len(r.Accounts)), Start: Time(r.Start), Hours: r.Hours}
		for i, account := range r.Accounts {
			out.Rotation.Accounts[i] = tokenOrNone(account)
		}
	}
	for i, o := range d.Rota.Overrides {
		out.Overrides[i] = DutyOverride{Time(o.From), Time(o.To), tokenOrNone(o.Account)}
	}
	for _, list := range []*[]model.AccountID{&out.Always, &out.Fallback} {
		if *list == nil {
			*list = []model.AccountID{}
		}
	}
	for i, e := range d.People {
		out.People[i] = v.User(e)
	}
	return out
}

// tokenOrNone is the token of an account, and empty where it is none.
func tokenOrNone(account model.AccountID) string {
	if account.IsZero() {
		return ""
	}
	return account.String()
}
