package api_test

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// notification is what a monitoring system POSTs.
func notification(t *testing.T, name string) option {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "alert", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return body("application/json", bytes.NewReader(text))
}

// alerted POSTs a notification, and returns what became of its alerts.
func (p *person) alerted(path, name string) []value {
	p.t.Helper()
	return p.do("POST", "/v2/hook/"+path, notification(p.t, name)).reply().list("messages")
}

// told is the message that tells of an alert, as a person reads it.
func (p *person) told(alert value) value {
	p.t.Helper()
	return p.get("/v2/message/" + alert.text("message_id")).reply()
}

// startHooks makes a clinic with an account for its monitoring, which has a key of its organization.
func startHooks(t *testing.T) (c clinic, boss, monitoring *person) {
	t.Helper()
	c = startClinic(t)
	boss = c.mustCreateAdmin(c.org, "boss")
	monitoring = boss.mustCreate(c.org, "monitoring")
	for _, p := range []*person{c.alice, c.bob, monitoring} {
		p.forgetEvents()
	}
	return c, boss, monitoring
}

func TestAnAlertBecomesAMessageAndItsEndAnswersIt(t *testing.T) {
	t.Parallel()
	c, boss, monitoring := startHooks(t)
	ward := boss.mustCreateGroup("Imaging on duty", c.alice, monitoring)
	c.alice.forgetEvents()
	boss.post("/v2/organization/"+c.org, fields{"alert_routes": "severity=critical team=imaging -> " + ward + "\n" +
		"team=it -> " + c.bob.token + " low"}).want(204)
	c.settle()
	c.bob.forgetEvents()

	told := monitoring.alerted("alertmanager", "alertmanager_firing")
	if len(told) != 2 {
		t.Fatalf("%d alerts were told, want 2", len(told))
	}
	told[0].wantFields(fields{"fingerprint": "6e1ba5a2c7e7ba0f", "status": "firing", "repeated": false})
	first := c.alice.told(told[0])
	first.wantFields(fields{"group_token": ward, "priority": 1, "body": strings.Join([]string{
		"FIRING: HostOutOfDiskSpace (critical)",
		"The disk of the image archive is almost full",
		"/var on pacs01.clinic.example:9100 has 3.2% left.",
		"device=/dev/sda1, instance=pacs01.clinic.example:9100, job=node, mountpoint=/var, team=imaging",
		"Since 2026-11-21 08:10 UTC",
		"https://runbooks.clinic.example/disk",
		"http://prometheus.clinic.example:9090/graph?g0.expr=node_filesystem_avail_bytes+%2F+" +
			"node_filesystem_size_bytes+%3C+0.05&g0.tab=1",
	}, "\n")})
	second := c.bob.told(told[1])
	second.wantFields(fields{"recipient_token": c.bob.token, "priority": -1})

	// Told again, as both systems do every few hours, nothing is sent.
	for _, again := range monitoring.alerted("alertmanager", "alertmanager_firing") {
		again.wantFields(fields{"repeated": true})
	}
	c.bob.wantEvents("message")

	c.clock.Advance(30 * time.Minute)
	over := monitoring.alerted("alertmanager", "alertmanager_resolved")
	c.alice.told(over[0]).wantFields(fields{"group_token": ward, "priority": 0,
		"reply_to": told[0].text("message_id"),
		"body":     "RESOLVED: HostOutOfDiskSpace (critical), 2026-11-21 08:40 UTC, after 30m"})
	c.bob.wantEvents("message", "message")
	// After a day it is told anew, if it is still so.
	c.clock.Advance(24 * time.Hour)
	monitoring.alerted("alertmanager", "alertmanager_firing")[0].wantFields(fields{"repeated": false})
}

// A rule may say by which policy an alert is sent on. That ends with the alert.
func TestAnAlertIsSentOnUntilItIsResolved(t *testing.T) {
	t.Parallel()
	c, boss, monitoring := startHooks(t)
	c.bob.forgetEvents()
	for name, to := range map[string]string{"the night": c.alice.token, "other": c.bob.token} {
		boss.post("/v2/organization/"+c.org+"/escalation/"+url.PathEscape(name),
			fields{"steps": []fields{{"after": 5, "to": []string{to}}}}).want(204)
	}
	boss.post("/v2/organization/"+c.org, fields{"alert_routes": `severity=critical -> ` + c.bob.token +
		` escalate="the night"` + "\n* -> " + c.bob.token}).want(204)
	c.settle()
	told := monitoring.alerted("alertmanager", "alertmanager_firing")
	sentOn := func(alert value) value {
		t.Helper()
		return monitoring.get("/v2/message/" + alert.text("message_id") + "/escalation").reply()
	}
	critical := sentOn(told[0])
	critical.wantFields(fields{"state": "open"})
	if to := critical.text("steps", 0, "to", 0); to != c.alice.token {
		t.Errorf("it is sent on to %s", to)
	}
	monitoring.get("/v2/message/" + told[1].text("message_id") + "/escalation").wantMissing()
	monitoring.alerted("alertmanager", "alertmanager_resolved")
	sentOn(told[0]).wantFields(fields{"state": "cancelled"})

	// The call may name another. One that is not there keeps nobody from hearing of the alert.
	c.clock.Advance(25 * time.Hour)
	told = monitoring.alerted("alertmanager?escalate=other", "alertmanager_firing")
	if to := sentOn(told[0]).text("steps", 0, "to", 0); to != c.bob.token {
		t.Errorf("it is sent on to %s", to)
	}
	c.clock.Advance(25 * time.Hour)
	c.settle()
	before := len(c.bob.events())
	monitoring.do("POST", "/v2/hook/alertmanager?escalate=none", notification(t, "alertmanager_firing")).
		wantError(400, "escalation_policy_unknown")
	if now := len(c.bob.events()); now != before+2 {
		t.Errorf("%d messages came, want 2", now-before)
	}
}

func TestGrafanaNamesWhoGetsItsAlerts(t *testing.T) {
	t.Parallel()
	c, _, monitoring := startHooks(t)
	told := monitoring.alerted("grafana?recipient="+c.bob.token, "grafana_firing")
	c.bob.told(told[0]).wantFields(fields{"priority": 1, "body": strings.Join([]string{
		"FIRING: Laboratory queue (critical)",
		"The laboratory sends no results",
		"No result was sent for 15 minutes.",
		"grafana_folder=Laboratory",
		"Since 2026-11-21 08:14 UTC",
		"https://grafana.clinic.example/d/lab?orgId=1&viewPanel=7",
	}, "\n")})
	// The answer goes where the alert went, though nobody is named now.
	over := monitoring.alerted("grafana?recipient="+c.alice.token, "grafana_resolved")
	c.bob.told(over[0]).wantFields(fields{"reply_to": told[0].text("message_id"),
		"body": "RESOLVED: Laboratory queue (critical), 2026-11-21 09:14 UTC, after 1h0m"})

	// One that was taken back is not answered.
	told = monitoring.alerted("alertmanager?recipient="+c.bob.token, "alertmanager_firing")
	monitoring.delete("/v2/message/" + told[0].text("message_id")).want(204)
	over = monitoring.alerted("alertmanager?recipient="+c.bob.token, "alertmanager_resolved")
	c.bob.told(over[0]).wantFields(fields{}, "reply_to")
	c.bob.told(over[1]).wantFields(fields{"reply_to": told[1].text("message_id")})
}

func TestAlertsThatNobodyCanGetAreRefused(t *testing.T) {
	t.Parallel()
	c, boss, monitoring := startHooks(t)
	const path = "/v2/hook/alertmanager"
	firing := func() option { return notification(t, "alertmanager_firing") }
	c.alice.do("POST", path, firing()).wantError(403, "scope_required")
	c.anyone().do("POST", path, firing()).want(401)
	monitoring.do("POST", path, firing()).wantError(400, "alert_unrouted")
	monitoring.do("POST", path+"?recipient="+randomToken(), firing()).wantMissing()
	monitoring.post(path, fields{}).wantError(400, "field_invalid").wantField("alerts")
	monitoring.post(path, fields{"alerts": "many"}).wantError(400, "field_invalid").wantField("alerts")
	monitoring.post(path+"?recipient="+c.bob.token, fields{"alerts": slices.Repeat([]fields{{"status": "firing"}}, 501)}).
		wantError(400, "too_many_alerts").wantField("alerts")
	// What is no alert, may not be sent or fits no rule does not hold up the others.
	c.bob.forgetEvents()
	monitoring.post(path+"?recipient="+c.bob.token, fields{"alerts": []fields{{"status": "perhaps"},
		{"status": "firing", "labels": fields{"alertname": "Heat"}}}}).wantError(400, "alert_invalid")
	c.bob.wantEvents("message")
	everyone := boss.mustCreateEveryone(c.org, fields{"name": "Everyone"})
	boss.post("/v2/organization/"+c.org, fields{"alert_routes": "severity=critical -> " + everyone + "\n* -> bob"}).
		want(204)
	c.settle()
	c.bob.forgetEvents()
	monitoring.do("POST", path, firing()).wantError(403, "administrators_write")
	c.bob.wantEvents("message")
	c.clock.Advance(25 * time.Hour)
	boss.post("/v2/organization/"+c.org, fields{"alert_routes": "team=it -> bob"}).want(204)
	c.settle()
	c.bob.forgetEvents()
	monitoring.do("POST", path, firing()).wantError(400, "alert_unrouted")
	c.bob.wantEvents("message")
	monitoring.do("POST", path, firing()).wantError(400, "alert_unrouted")
	c.bob.wantEvents("message")
	boss.post("/v2/organization/"+c.org, fields{"alert_routes": "severity"}).wantError(400, "alert_routes_invalid").
		wantField("alert_routes")
}

// Prometheus may be away for so long that an alert ends by itself, and fires again with the start that it had.
func TestAnAlertThatFiresAgainAfterItsEndIsTold(t *testing.T) {
	t.Parallel()
	c, _, monitoring := startHooks(t)
	began := c.clock.Now().UTC()
	tell := func(status string) value {
		t.Helper()
		a := fields{"status": status, "labels": fields{"alertname": "Heat"}, "startsAt": began.Format(time.RFC3339)}
		if status == "resolved" {
			a["endsAt"] = c.clock.Now().UTC().Format(time.RFC3339)
		}
		return monitoring.post("/v2/hook/alertmanager?recipient="+c.bob.token, fields{"alerts": []fields{a}}).reply().
			list("messages")[0]
	}
	for range 3 {
		fired := tell("firing")
		fired.wantFields(fields{"repeated": false})
		c.clock.Advance(5 * time.Minute)
		tell("firing").wantFields(fields{"repeated": true, "message_id": fired.text("message_id")})
		over := tell("resolved")
		c.bob.told(over).wantFields(fields{"reply_to": fired.text("message_id")})
		c.clock.Advance(5 * time.Minute)
		tell("resolved").wantFields(fields{"repeated": true, "message_id": over.text("message_id")})
	}
	c.bob.wantEvents("message", "message", "message", "message", "message", "message")
}

// With `continue: true` Alertmanager tells several receivers of one alert.
func TestAnAlertIsToldToEachReceiver(t *testing.T) {
	t.Parallel()
	c, _, monitoring := startHooks(t)
	tell := func(receiver string, to *person) value {
		t.Helper()
		return monitoring.post("/v2/hook/alertmanager?recipient="+to.token, fields{"receiver": receiver,
			"alerts": []fields{{"status": "firing", "labels": fields{"alertname": "Heat"}}}}).reply().list("messages")[0]
	}
	for receiver, to := range map[string]*person{"building": c.alice, "it": c.bob} {
		tell(receiver, to).wantFields(fields{"repeated": false})
		tell(receiver, to).wantFields(fields{"repeated": true})
		to.wantEvents("message")
	}
}

// Alertmanager tells a group anew as long as one of its alerts is not taken, with those that are over.
func TestAnAlertThatHasLongBeenOverIsNotTold(t *testing.T) {
	t.Parallel()
	c, _, monitoring := startHooks(t)
	ended := c.clock.Now()
	tell := func() []value {
		t.Helper()
		return monitoring.post("/v2/hook/alertmanager?recipient="+c.bob.token, fields{"alerts": []fields{{
			"status": "resolved", "labels": fields{"alertname": "Heat"}, "endsAt": ended.UTC().Format(time.RFC3339)}}}).
			reply().list("messages")
	}
	if got := tell(); len(got) != 1 {
		t.Errorf("%d alerts were told, want 1", len(got))
	}
	for range 3 {
		c.clock.Advance(25 * time.Hour)
		if got := tell(); len(got) != 0 {
			t.Errorf("%d alerts were told, want none", len(got))
		}
	}
	c.bob.wantEvents("message")
}

// Several Alertmanagers may tell of an alert at once, each in its words.
func TestAnAlertThatSeveralTellAtOnceIsOneMessage(t *testing.T) {
	t.Parallel()
	c, _, monitoring := startHooks(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			monitoring.post("/v2/hook/alertmanager?recipient="+c.bob.token, fields{"alerts": []fields{{"status": "firing",
				"labels": fields{"alertname": "Heat"}, "annotations": fields{"summary": fmt.Sprint("seen by ", i)}}}}).want(200)
		})
	}
	all.Wait()
	c.bob.wantEvents("message")
}

// An account that is erased is named by no rule any more.
func TestErasingAnAccountDropsItsAlertRoutes(t *testing.T) {
	t.Parallel()
	c, boss, _ := startHooks(t)
	boss.post("/v2/organization/"+c.org, fields{"alert_routes": "team=a -> " + c.bob.token + " high\nteam=b -> Bob\n" +
		"# the rest\nteam=c -> alice"}).want(204)
	if err := c.eraseAccount(c.bob.token, true); err != nil {
		t.Fatal(err)
	}
	c.wantNoTrace("an erased account", mustParseAccount(t, c.bob.token), c.bob.token)
	var left any
	for _, setting := range boss.get("/v2/organization/" + c.org).reply().list("settings") {
		if setting.text("name") == "alert_routes" {
			left = setting.at("value").v
		}
	}
	if left != "# the rest\nteam=c -> alice" {
		t.Errorf("the rules are %q", left)
	}
}
