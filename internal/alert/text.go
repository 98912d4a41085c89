package alert

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

const (
	// maxText is how many characters a message about an alert has at most.
	maxText = 4000
	// timeForm is how its text writes times.
	timeForm = "2006-01-02 15:04 UTC"
)

// text is what a person reads: what is wrong first, then what is known of it.
func (a *Alert) text() string {
	lines := []string{a.title()}
	if a.Resolved() {
		return a.title() + a.took()
	}
	said := map[string]bool{}
	for _, name := range []string{"summary", "message", "description"} {
		if text := strings.TrimSpace(a.Annotations[name]); text != "" && !said[text] {
			lines, said[text] = append(lines, text), true
		}
	}
	if a.ValueString != "" && len(said) == 0 {
		lines = append(lines, a.ValueString)
	}
	if labels := a.labels(); labels != "" {
		lines = append(lines, labels)
	}
	if !a.StartsAt.IsZero() {
		lines = append(lines, "Since "+a.StartsAt.UTC().Format(timeForm))
	}
	for _, link := range []string{a.Annotations["runbook_url"], cmp.Or(a.PanelURL, a.DashboardURL, a.GeneratorURL)} {
		if strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://") {
			lines = append(lines, link)
		}
	}
	return shorten(strings.Join(lines, "\n"))
}

// title is the first line.
func (a *Alert) title() string {
	state := "FIRING: "
	if a.Resolved() {
		state = "RESOLVED: "
	}
	name := cmp.Or(a.Labels["alertname"], a.Annotations["summary"], "alert")
	if severity := a.Labels["severity"]; severity != "" {
		name += " (" + severity + ")"
	}
	return shorten(state + name)
}

// took is how long the alert lasted, where that is known.
func (a *Alert) took() string {
	if a.StartsAt.IsZero() || !a.EndsAt.After(a.StartsAt) {
		return ""
	}
	text := ", " + a.EndsAt.UTC().Format(timeForm)
	if took := a.EndsAt.Sub(a.StartsAt).Round(time.Minute); took >= time.Minute {
		text += ", after " + strings.TrimSuffix(took.String(), "0s")
	}
	return text
}

// labels are the others, in one line.
func (a *Alert) labels() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(a.Labels)) {
		if name != "alertname" && name != "severity" && !strings.HasPrefix(name, "__") {
			out = append(out, name+"="+a.Labels[name])
		}
	}
	return strings.Join(out, ", ")
}

// shorten cuts a text that is too long.
func shorten(text string) string {
	if runes := []rune(text); len(runes) > maxText {
		return string(runes[:maxText-1]) + "…"
	}
	return text
}
