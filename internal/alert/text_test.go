package alert

import (
	"strings"
	"testing"
	"time"
)

func TestTheTextOfAnAlertIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 10_000)
	for _, a := range []Alert{
		{Status: "firing", Annotations: map[string]string{"description": long}},
		{Status: "firing", Labels: map[string]string{"alertname": long}},
		{Status: "resolved", Labels: map[string]string{"alertname": long}},
	} {
		if n := len([]rune(a.text())); n > maxText+len(timeForm)+20 {
			t.Errorf("a text has %d characters", n)
		}
	}
	if got := (&Alert{Status: "firing"}).text(); got != "FIRING: alert" {
		t.Errorf("got %q", got)
	}
	bad := Alert{Status: "firing", Annotations: map[string]string{"runbook_url": "javascript:alert(1)"}}
	if got := bad.text(); strings.Contains(got, "javascript") {
		t.Errorf("got %q", got)
	}
}

func TestAnAlertIsTheSameWheneverItIsTold(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	a := Alert{Status: "firing", StartsAt: began, Fingerprint: "f", Labels: map[string]string{"a": "1", "b": "2"}}
	b := a
	b.Annotations, b.StartsAt = map[string]string{"summary": "other words"}, began.In(time.FixedZone("", 3600))
	n := Notification{System: "grafana", Receiver: "night"}
	if n.request(&a, "firing", 0) != n.request(&b, "firing", 0) {
		t.Error("the same alert has two names")
	}
	names := map[string]bool{n.request(&a, "firing", 0): true}
	b.StartsAt = began.Add(time.Second)
	c := a
	c.Labels = map[string]string{"a": "1", "b": "3"}
	elsewhere, others := Notification{System: "alertmanager", Receiver: "night"}, Notification{System: "grafana"}
	for _, other := range []string{elsewhere.request(&a, "firing", 0), others.request(&a, "firing", 0),
		n.request(&a, "resolved", 0), n.request(&a, "firing", 1), n.request(&b, "firing", 0), n.request(&c, "firing", 0)} {
		if names[other] {
			t.Error("two alerts have one name")
		}
		names[other] = true
	}
}
