package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
	"signet/internal/store/quota"
)

// told returns the lines about an account in the log of an organization.
func (s *server) told(organization string, about *person) []auditlog.Row {
	return slices.DeleteFunc(s.auditLines(), func(e auditlog.Row) bool {
		return string(e.Chain) != organization || e.User.String() != about.token
	})
}

// abroad starts One, which created the person, and Two, whose administrator acts on it.
type abroad struct {
	*server
	one, two    string
	home, other *person
	nurse       *person
}

func startAbroad(t *testing.T, changes ...func(*figures)) *abroad {
	t.Helper()
	a := &abroad{server: start(t, changes...)}
	a.one, a.two = a.mustCreateOrganization("One"), a.mustCreateOrganization("Two")
	a.home, a.other = a.mustCreateAdmin(a.one, "home"), a.mustCreateAdmin(a.two, "other")
	a.nurse = a.mustCreate(a.one, "nurse")
	return a
}

// wantDone checks that a call did what it is for, with or without a reply.
func (a *answer) wantDone() {
	a.t.Helper()
	if a.StatusCode != 200 {
		a.want(204)
	}
}

// moved is how often the administrator of Two gets through with two acts, one after the other,
// until the one that gives something is refused.
func (a *abroad) moved(give, take func() *answer) (acts int) {
	a.t.Helper()
	for range 100 {
		got := give()
		if got.StatusCode == 429 {
			got.wantError(429, "growth_limit")
			if wait := got.Header.Get("Retry-After"); len(wait) < 4 { // until midnight
				a.t.Errorf("Retry-After is %q", wait)
			}
			return acts
		}
		got.wantDone()
		take().want(204)
		acts += 2
	}
	a.t.Fatal("nothing stops the administrator of another organization")
	return acts
}

// Whatever an administrator of another organization does to an account again and again, the
// log of the organization that created it has one line of it an hour, the queue one event,
// and after 20 changes the day is over.
func TestAnAdministratorOfAnotherOrganizationFloodsNobody(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]struct {
		change func(*figures)
		joined bool
		acts   func(a *abroad) (give, take func() *answer)
		events int // in the queue of the nurse
	}{
		"membership": {acts: func(a *abroad) (give, take func() *answer) {
			return func() *answer { return a.other.post(a.nurse.path("/organization"), fields{"organization": a.two}) },
				func() *answer { return a.other.delete(a.nurse.path("/organization/" + a.two)) }
		}, events: 2}, // of joining, and of leaving, which is of no organization
		"request": {change: approving, acts: func(a *abroad) (give, take func() *answer) {
			return func() *answer { return a.other.post(a.nurse.path("/organization"), fields{"organization": a.two}) },
				func() *answer { return a.other.delete(a.nurse.path("/organization/" + a.two)) }
		}, events: 1},
		"role": {joined: true, acts: func(a *abroad) (give, take func() *answer) {
			path := a.nurse.path("/organization/" + a.two + "/roles/reporting")
			return func() *answer { return a.other.post(path, nil) }, func() *answer { return a.other.delete(path) }
		}, events: 1},
		"key": {joined: true, acts: func(a *abroad) (give, take func() *answer) {
			var key string
			return func() *answer {
					got := a.other.post(a.nurse.path("/key"), nil)
					if got.StatusCode == 200 {
						key = got.reply().text("api_key")
					}
					return got
				}, func() *answer {
					return a.other.delete(a.nurse.path("/key/" + key))
				}
		}, events: 1},
		"label": {joined: true, acts: func(a *abroad) (give, take func() *answer) {
			path := a.nurse.path("/key/" + a.operator.post(a.nurse.path("/key"), fields{"organization": a.two}).reply().
				text("api_key"))
			return func() *answer { return a.other.post(path, fields{"label": "Ward 3"}) },
				func() *answer { return a.other.post(path, fields{"label": ""}) }
		}, events: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var changes []func(*figures)
			if act.change != nil {
				changes = append(changes, act.change)
			}
			a := startAbroad(t, changes...)
			limit := 20
			if act.joined {
				a.operator.mustJoin(a.two, a.nurse) // which is no act of Two
			}
			give, take := act.acts(a)
			before := len(a.told(a.one, a.nurse))
			a.home.forgetEvents()
			a.nurse.forgetEvents()
			if acts := a.moved(give, take); acts != limit {
				t.Errorf("%d acts got through on a day, want %d", acts, limit)
			}
			if lines := a.told(a.one, a.nurse)[before:]; len(lines) != 1 || lines[0].Account.String() != a.other.token ||
				lines[0].Key != "" || lines[0].Times != 1 {
				t.Errorf("the log of One has got %+v, want one line", lines)
			}
			if lines := a.told(a.two, a.nurse); len(lines) < limit {
				t.Errorf("the log of Two has %d lines of what its administrator did, want all", len(lines))
			}
			queued := kindsOf(a.nurse.events())
			if len(queued) != act.events || strings.ReplaceAll(strings.Join(queued, ""), "account:settings", "") != "" {
				t.Errorf("the nurse has queued %v, want %d account:settings", queued, act.events)
			}
			requests := 0
			if act.change != nil {
				requests = 1
			}
			if got := a.home.events(); len(got) != requests {
				t.Errorf("the administrator of One has queued %v, want %d", kindsOf(got), requests)
			}

			a.wantRestInOneLine(before, limit)
			// The next hour has a line of its own, and the next day new changes.
			give().wantError(429, "growth_limit")
			a.clock.Advance(24 * time.Hour)
			give().wantDone()
			if n := len(a.told(a.one, a.nurse)); n != before+3 {
				t.Errorf("on the next day the log of One has %d lines more, want 3", n-before)
			}
			a.mustSweep()
			a.mustVerify()
		})
	}
}

// wantRestInOneLine lets the hour be over, in which the log of One has got one line of so many
// acts: the rest of them is one line with its number.
func (a *abroad) wantRestInOneLine(before, acts int) {
	a.t.Helper()
	a.mustKeepHouse()
	if n := len(a.told(a.one, a.nurse)); n != before+1 {
		a.t.Errorf("within the hour the log of One has %d lines more, want 1", n-before)
	}
	a.clock.Advance(time.Hour)
	a.mustKeepHouse()
	a.mustKeepHouse()
	lines := a.told(a.one, a.nurse)[before:]
	if len(lines) != 2 || lines[1].Action != model.ActionMore || lines[1].Times != int64(acts)-1 ||
		string(lines[1].Organization) != a.two {
		a.t.Errorf("after the hour the log of One has %+v, want the rest of it as one line", lines)
	}
}

// What was only counted of an account has its line before the account is erased.
func TestErasedAccountKeepsTheNumberOfActsOnIt(t *testing.T) {
	t.Parallel()
	a := startAbroad(t)
	a.operator.mustJoin(a.two, a.nurse)
	path := a.nurse.path("/organization/" + a.two + "/roles/reporting")
	for range 2 {
		a.other.post(path, nil).want(204)
		a.other.delete(path).want(204)
	}
	counter := quota.Counter(mustParseAccount(t, a.nurse.token), "audit", a.nurse.key)
	err := a.store.Update(t.Context(), func(tx *store.Tx) error {
		for range 1000 + 7 {
			if _, err := quota.CountMessage(tx, counter, quota.DayOf(a.clock.Now())); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	a.operator.erase(a.nurse).want(204)
	a.mustSweep()
	a.clock.Advance(24 * time.Hour)
	a.mustKeepHouse()
	more := map[model.OrganizationID]int64{}
	for _, e := range a.auditLines() {
		if e.Action == model.ActionMore && string(e.Chain) == a.one &&
			(e.User.String() == a.nurse.token || e.Account.String() == a.nurse.token && e.Key == a.nurse.key) {
			more[e.Organization] += e.Times
		}
	}
	if len(more) != 2 || more[model.OrganizationID(a.two)] != 3 || more[""] != 7 {
		t.Errorf("the log of One counts %v more acts, want 3 of Two, and 7 of the nurse", more)
	}
	a.mustVerify()
}

// What ends something is never refused: nobody keeps access because a day is used up.
func TestAccessEndsAlthoughTheDayOfItsOrganizationIsUsedUp(t *testing.T) {
	t.Parallel()
	a := startAbroad(t)
	roles := a.nurse.path("/organization/" + a.two + "/roles/")
	a.other.post(a.nurse.path("/organization"), fields{"organization": a.two}).want(204)
	key := a.other.post(a.nurse.path("/key"), nil).reply().text("api_key")
	for i := range 18 {
		a.other.post(roles+"own_"+number(i), nil).want(204)
	}
	a.other.post(roles+"more", nil).wantError(429, "growth_limit")
	a.other.post(a.nurse.path("/key"), nil).wantError(429, "growth_limit")
	a.other.post(a.nurse.path("/key/"+key+"/rotate"), nil).wantError(429, "growth_limit")
	a.other.get(a.nurse.path("/export")).wantError(429, "growth_limit")
	// Others are not concerned: the account itself, its own administrators, and a third organization.
	a.home.post(a.nurse.path("/organization/"+a.one+"/roles/more"), nil).want(204)
	a.nurse.post("/v2/user/me/key", nil).want(200)
	third := a.mustCreateOrganization("Three")
	a.mustCreateAdmin(third, "third").mustJoin(third, a.nurse)
	for i := range 18 {
		a.other.delete(roles + "own_" + number(i)).want(204)
	}
	a.other.delete(a.nurse.path("/key/" + key)).want(204)
	a.other.delete(a.nurse.path("/organization/" + a.two)).want(204)
}

// The settings of an organization are told once to members of others, until they have read
// it.
func TestSettingsOfAnotherOrganizationFloodNoQueue(t *testing.T) {
	t.Parallel()
	a := startAbroad(t)
	a.other.mustJoin(a.two, a.nurse)
	for i := range 10 {
		a.other.post("/v2/organization/"+a.two, fields{"custom": number(i)}).want(204)
	}
	a.settle()
	first := a.nurse.wantEvents("account:settings")
	a.other.post("/v2/organization/"+a.two, fields{"custom": "last"}).want(204)
	a.settle()
	if again := a.nurse.wantEvents("account:settings"); again[0].id == first[0].id {
		t.Error("who has read of settings is not told that they changed since")
	}
}

// Reading leaves a line at home once an hour, with however many keys.
func TestAnAdministratorReadsKeysWithManyKeysForOneLine(t *testing.T) {
	t.Parallel()
	a := startAbroad(t)
	a.other.mustJoin(a.two, a.nurse)
	before := len(a.told(a.one, a.nurse))
	for range 5 {
		key := a.other.withKey(a.other.post("/v2/user/me/key", fields{"kind": "administrative"}).reply())
		key.get(a.nurse.path("/key")).want(200)
	}
	if n := len(a.told(a.one, a.nurse)) - before; n != 1 {
		t.Errorf("5 readings with as many keys left %d lines, want 1", n)
	}
}
