package alert

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"signet/internal/model"
)

// MaxAlerts is how many alerts a notification may have.
const MaxAlerts = 500

// Notification is what Alertmanager (webhook, version 4) and Grafana (webhook contact point) POST, as far as
// both have it, and what Grafana adds.
type Notification struct {
	System   string  `json:"-"`        // alertmanager or grafana
	Receiver string  `json:"receiver"` // what the system calls who is told
	Alerts   []Alert `json:"alerts"`
}

// Alert is one alert of a notification.
type Alert struct {
	Status       string            `json:"status"` // firing or resolved
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL"`
	Fingerprint  string            `json:"fingerprint"` // of the labels

	// Grafana's.
	PanelURL     string `json:"panelURL"`
	DashboardURL string `json:"dashboardURL"`
	ValueString  string `json:"valueString"`
}

// Resolved reports whether the alert is over.
func (a *Alert) Resolved() bool { return a.Status == "resolved" }

// long reports whether the alert has been over for longer than is known what was told of it.
func (a *Alert) long(now time.Time) bool {
	return !a.EndsAt.IsZero() && now.Sub(a.EndsAt) > model.RepeatWindow
}

// Known reports whether it is said what is with the alert.
func (a *Alert) Known() bool { return a.Status == "firing" || a.Status == "resolved" }

// request names the message that tells a receiver of an alert, as a Request-ID: the same for each time that it is
// told. episode counts how often it was resolved before.
func (n *Notification) request(a *Alert, status string, episode int) string {
	h := sha256.New()
	write := func(parts ...string) {
		for _, part := range parts {
			h.Write([]byte(part))
			h.Write([]byte{0})
		}
	}
	write(n.System, n.Receiver, status, strconv.Itoa(episode), a.StartsAt.UTC().Format(time.RFC3339Nano), a.Fingerprint)
	for _, name := range slices.Sorted(maps.Keys(a.Labels)) {
		write(name, a.Labels[name])
	}
	return "alert:" + hex.EncodeToString(h.Sum(nil)[:16])
}

// urgent reports whether the severity of an alert asks for a message of high priority.
func (a *Alert) urgent() bool {
	return slices.Contains([]string{"critical", "page", "emergency", "disaster"}, strings.ToLower(a.Labels["severity"]))
}
