package model

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestTheFirstAlertRouteThatFitsCounts(t *testing.T) {
	t.Parallel()
	routes, err := ParseAlertRoutes(`
		# the ward first
		severity=critical team="Heart surgery" -> 01a1edb9-a94b-7811-818e-951767727e06 high escalate="the night"
		severity!=info instance="a -> b" -> +49 151 12345678
		severity=critical -> oncall@example.com low escalate=night
		* -> it
	`)
	if err != nil || len(routes) != 4 {
		t.Fatalf("got %d routes, %v", len(routes), err)
	}
	priority := func(p int) *int { return &p }
	for _, alert := range []struct {
		labels    map[string]string
		recipient string
		priority  *int
		escalate  string
	}{
		{map[string]string{"severity": "critical", "team": "Heart surgery"}, "01a1edb9-a94b-7811-818e-951767727e06",
			priority(1), "the night"},
		{map[string]string{"instance": "a -> b"}, "+49 151 12345678", nil, ""},
		{map[string]string{"severity": "critical"}, "oncall@example.com", priority(-1), "night"},
		{map[string]string{"severity": "info", "instance": "a -> b"}, "it", nil, ""},
		{nil, "it", nil, ""},
	} {
		for i := range routes {
			r := &routes[i]
			if !r.Fits(alert.labels) {
				continue
			}
			same := (r.Priority == nil) == (alert.priority == nil) && (r.Priority == nil || *r.Priority == *alert.priority)
			if r.Recipient != alert.recipient || !same || r.Escalate != alert.escalate {
				t.Errorf("%v goes to %q, and on by %q", alert.labels, r.Recipient, r.Escalate)
			}
			break
		}
	}
}

func TestWhatIsNoAlertRouteIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"it", "-> it", "severity -> it", "severity=critical ->", "* ->", `a="b -> it`,
		"=x -> it", "* x=y -> it", `a b=c -> it`, "* -> it escalate=",
		"* -> it escalate=-", `* -> it escalate="night`, "* -> escalate=night"} {
		if routes, err := ParseAlertRoutes(text); err == nil {
			t.Errorf("%q is %+v", text, routes)
		}
	}
	s := Settings{Other: map[string]json.RawMessage{AlertRoutes: json.RawMessage(`7`)}}
	var refused *Error
	if err := s.FitOther(); !errors.As(err, &refused) || refused.Code != "alert_routes_invalid" {
		t.Errorf("got %v", err)
	}
}

func TestAlertRoutesToAnAccountAreDropped(t *testing.T) {
	t.Parallel()
	ann := Account{ID: AccountID{15: 1}, Username: "Ann", Emails: []Email{{Address: "ann@example.com"}},
		Phones: []Phone{{Number: "+41791234567"}}}
	text := "# who is on duty\nteam=a -> " + ann.ID.String() + " high\nteam=b -> ANN@example.com escalate=night\n" +
		"team=c -> ann low\nteam=d -> +41 79 123 45 67\nteam=e -> 079 123 45 67\n\nteam=f -> anna\n" +
		"team=g -> ann@example.org\n* -> 0791234568"
	raw, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	s := Settings{Other: map[string]json.RawMessage{AlertRoutes: raw}}
	if !s.DropAlertRoutesTo(&ann) || s.DropAlertRoutesTo(&ann) {
		t.Error("the rules are not dropped once")
	}
	const want = `"# who is on duty\n\nteam=f -\u003e anna\nteam=g -\u003e ann@example.org\n* -\u003e 0791234568"`
	if got := string(s.Other[AlertRoutes]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if none := (&Settings{}); none.DropAlertRoutesTo(&ann) {
		t.Error("rules are dropped where there are none")
	}
}
