package model

import (
	"encoding/json"
	"slices"
	"strings"
)

// AlertRoutes is the name of the setting of an organization that says who gets which alerts of a monitoring
// system: a rule in each line, of which the first that fits counts.
//
//	severity=critical team=cardiology -> 0193f2a4-... high escalate=night
//	severity!=info -> oncall@example.com
//	* -> it
//
// Left of the arrow are labels that an alert has to have, or with != is not to have; a value with blanks
// stands in quotation marks. * is all. Right of it is the address of a person or a group, and perhaps the
// priority: high, normal or low; and last perhaps the escalation policy of the organization by which the message
// is sent on while nobody has heard it.
const AlertRoutes = "alert_routes"

// maxAlertRoutes is how many rules an organization has at most.
const maxAlertRoutes = 200

// AlertRoute says who gets which alerts.
type AlertRoute struct {
	Labels    []AlertLabel // all of which have to fit; none: all alerts
	Recipient string       // an address
	Priority  *int         // -1, 0, 1; nil: as the alert's severity says
	Escalate  string       // the name of an escalation policy; empty: none
}

// AlertLabel is a label that an alert has to have, or must not have.
type AlertLabel struct {
	Name, Value string
	Not         bool
}

// Fits reports whether alerts with these labels go there.
func (r *AlertRoute) Fits(labels map[string]string) bool {
	for _, l := range r.Labels {
		if (labels[l.Name] == l.Value) == l.Not {
			return false
		}
	}
	return true
}

// ParseAlertRoutes reads the setting. Empty lines, and those that begin with #, are passed over.
func ParseAlertRoutes(text string) (routes []AlertRoute, err error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		route, ok := parseAlertRoute(line)
		if !ok || len(routes) == maxAlertRoutes {
			return nil, Invalidf("alert_routes_invalid", AlertRoutes, "Line %d of the alert routes is no rule such as "+
				"severity=critical -> oncall@example.com high, or there are more than %d.", number, maxAlertRoutes)
		}
		routes = append(routes, route)
	}
	return routes, nil
}

func parseAlertRoute(line string) (r AlertRoute, ok bool) {
	labels, to, found := cutArrow(line)
	if !found {
		return r, false
	}
	to, policy, escalates := strings.Cut(" "+to, " escalate=")
	if r.Escalate = unquoted(policy); escalates && !ValidPolicyName(r.Escalate) {
		return r, false
	}
	words := strings.Fields(to)
	if n := len(words) - 1; n > 0 {
		if priority, named := map[string]int{"high": 1, "normal": 0, "low": -1}[words[n]]; named {
			r.Priority, words = &priority, words[:n]
		}
	}
	if r.Recipient = strings.Join(words, " "); r.Recipient == "" {
		return r, false
	}
	if labels == "*" {
		return r, true
	}
	for labels != "" {
		var l AlertLabel
		if l, labels, ok = cutLabel(labels); !ok {
			return r, false
		}
		r.Labels = append(r.Labels, l)
	}
	return r, len(r.Labels) > 0
}

// unquoted is a text without the quotation marks that it may stand in.
func unquoted(text string) string {
	text = strings.TrimSpace(text)
	if inner, begins := strings.CutPrefix(text, `"`); begins {
		if inner, ends := strings.CutSuffix(inner, `"`); ends {
			return inner
		}
	}
	return text
}

// cutArrow cuts a rule at the arrow that stands in no quotation marks.
func cutArrow(line string) (labels, to string, found bool) {
	quoted := false
	for i := range len(line) {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(line[i:], "->"):
			return strings.TrimSpace(line[:i]), strings.TrimSpace(line[i+2:]), true
		}
	}
	return "", "", false
}

// cutLabel reads the first label of some.
func cutLabel(text string) (l AlertLabel, rest string, ok bool) {
	name, rest, found := strings.Cut(text, "=")
	name, l.Not = strings.CutSuffix(name, "!")
	if l.Name = strings.TrimSpace(name); !found || l.Name == "" || strings.ContainsAny(l.Name, " \t\"") {
		return l, "", false
	}
	if quoted, is := strings.CutPrefix(rest, `"`); is {
		l.Value, rest, found = strings.Cut(quoted, `"`)
		return l, strings.TrimSpace(rest), found
	}
	l.Value, rest, _ = strings.Cut(rest, " ")
	return l, strings.TrimSpace(rest), !strings.Contains(l.Value, `"`)
}

// AlertRoutes are the rules that the settings have; none where nothing is set.
func (s *Settings) AlertRoutes() ([]AlertRoute, error) {
	raw, there := s.Other[AlertRoutes]
	if !there {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil, Invalidf("alert_routes_invalid", AlertRoutes, "The alert routes are a text.")
	}
	return ParseAlertRoutes(text)
}

// DropAlertRoutesTo takes the rules out of the settings that name an account by one of its addresses, and reports
// whether there were any.
func (s *Settings) DropAlertRoutesTo(account *Account) bool {
	var text string
	if json.Unmarshal(s.Other[AlertRoutes], &text) != nil {
		return false
	}
	var left strings.Builder
	for line := range strings.Lines(text) { // those that are no rule, such as remarks, stay
		if r, ok := parseAlertRoute(strings.TrimSpace(line)); !ok || !account.named(r.Recipient) {
			left.WriteString(line)
		}
	}
	if left.Len() == len(text) {
		return false
	}
	raw, err := json.Marshal(left.String())
	if err != nil {
		return false
	}
	s.Other[AlertRoutes] = raw
	return true
}

// named reports whether an address names the account.
func (a *Account) named(address string) bool {
	of := ParseAddress(address, func(text string) (string, bool) { return PhoneDigits(text), true })
	switch of.Kind {
	case TokenAddress:
		return of.Token == EntityID(a.ID)
	case EmailAddress:
		return slices.ContainsFunc(a.Emails, func(e Email) bool { return FoldEmail(e.Address) == of.Value })
	case PhoneAddress: // perhaps as it is dialled within its country
		digits := strings.TrimLeft(of.Value, "+0")
		return FoldUsername(a.Username) == FoldUsername(address) || len(digits) >= 7 &&
			slices.ContainsFunc(a.Phones, func(p Phone) bool { return strings.HasSuffix(p.Number, digits) })
	default:
		return a.Username != "" && FoldUsername(a.Username) == of.Value
	}
}
