package load

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/testenv"
)

// brief is a plan of a fraction of a second.
func brief(scenario string) Plan {
	p := Plan{Scenario: scenario, Connections: 3, Duration: 150 * time.Millisecond, Payload: 100, Members: 1}
	switch scenario {
	case Group, Deliver:
		p.Members = 4
	case Streams, Search, Mixed, Soak:
		p.Members = 12
	}
	return p
}

func targetOf(s *apptest.Server) *Target {
	return &Target{BaseURL: s.URL, Key: s.Operator.Key, Secret: s.Operator.Secret}
}

// wantClean reports what a run left of its own on a server.
func wantClean(t *testing.T, s *apptest.Server) {
	t.Helper()
	organizations, err := s.Operator.Client.UserOrganizations(t.Context(), "me")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range organizations {
		t.Errorf("the organization %q is still there", o.Name)
	}
	keys, err := s.Operator.Client.Keys(t.Context(), "me")
	if err != nil {
		t.Fatal(err)
	}
	if len(keys) != 1 || keys[0].APIKey != s.Operator.Key {
		t.Errorf("the operator has %d keys, want only its own", len(keys))
	}
}

func TestEveryScenarioCountsItsOperationsAndCleansUp(t *testing.T) {
	testenv.Long(t)
	s := apptest.Start(t)
	for _, name := range Scenarios() {
		if name == Floor || name == FileFloor {
			continue // has no server behind it
		}
		t.Run(name, func(t *testing.T) {
			plan := brief(name)
			var phases []string
			result, err := Run(t.Context(), targetOf(s), plan, func(p Progress) { phases = append(phases, p.Phase) })
			if err != nil {
				t.Fatal(err)
			}
			if result.Operations < int64(plan.Connections) || result.Failed() != 0 || result.Interrupted ||
				result.FirstError != "" {
				t.Errorf("got %+v, want some operations and no failure", result)
			}
			if result.Scenario != name || result.Connections != plan.Connections || result.Latency.P50 <= 0 ||
				result.Latency.Max < result.Latency.P99 {
				t.Errorf("the result does not describe the run: %+v", result)
			}
			if want := []string{phasePreparing, phaseCleaningUp}; phases[0] != want[0] || phases[len(phases)-1] != want[1] {
				t.Errorf("phases are %q, want them from %q to %q", phases, want[0], want[1])
			}
			wantClean(t, s)
		})
	}
}

// What the generator counts is what the server did: nothing is counted twice and
// nothing left out.
func TestOperationsAreThoseThatTheServerHas(t *testing.T) {
	s := apptest.Start(t)
	for _, rate := range []float64{0, 200} {
		stage := mustStage(t, targetOf(s))
		plan := brief(Send)
		plan.Rate = rate
		scenario := new(sending)
		if err := scenario.prepare(t.Context(), stage, &plan); err != nil {
			t.Fatal(err)
		}
		result := measure(t.Context(), &plan, new(gauge), scenario.operate, func(Progress) {})
		unread := 0
		for _, r := range scenario.letters {
			_, rest, _ := strings.Cut(string(r.body), `"recipient":"`)
			recipient, _, _ := strings.Cut(rest, `"`)
			n, err := stage.admin.Unread(t.Context(), recipient)
			if err != nil {
				t.Fatal(err)
			}
			unread += n.Count
		}
		if int64(unread) != result.Operations || unread == 0 {
			t.Errorf("rate %v: the recipients have %d messages, and %d operations were counted", rate, unread, result.Operations)
		}
		if want := int64(rate * plan.Duration.Seconds()); rate > 0 && result.Operations+result.Unstarted != want {
			t.Errorf("%d operations and %d that did not begin at a rate of %v, want %d", result.Operations, result.Unstarted,
				rate, want)
		}
	}
}

func mustStage(t *testing.T, target *Target) *stage {
	t.Helper()
	s, err := newStage(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.strike(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestDeliveryCountsTheCopiesThatArrive(t *testing.T) {
	s := apptest.Start(t)
	plan := brief(Deliver)
	result, err := Run(t.Context(), targetOf(s), plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	if result.Copies != plan.Members-1 || result.CopiesPerSecond <= result.OperationsPerSecond {
		t.Errorf("got %d copies of each message and %v a second, want %d: one for each member but the sender", result.Copies,
			result.CopiesPerSecond, plan.Members-1)
	}
	plan.Members, plan.RequestID = 1, true
	if result, err = Run(t.Context(), targetOf(s), plan, nil); err != nil || result.Copies != 1 || result.Operations == 0 {
		t.Errorf("one to one: got %+v, %v", result, err)
	}
}

// When the server closes the streams, messages do not arrive, and that is no
// latency.
func TestStreamsThatEndAreFailures(t *testing.T) {
	s := apptest.Start(t)
	stage := mustStage(t, targetOf(s))
	plan := brief(Deliver)
	d := new(delivering)
	if err := d.prepare(t.Context(), stage, &plan); err != nil {
		t.Fatal(err)
	}
	defer d.finish()
	c := newConnection(readBuffer)
	defer c.close()
	if err := d.operate(t.Context(), c, 0); err != nil {
		t.Fatal(err)
	}
	for _, p := range stage.people {
		if err := c.call(t.Context(), newRequest(p, http.MethodDelete, stage.url("events", ""), "")); err != nil {
			t.Fatal(err)
		}
	}
	<-d.broken
	if err := d.operate(t.Context(), c, 1); kindOf(err) != kindLost || !strings.Contains(err.Error(), "a stream ended") {
		t.Errorf("got %v, want that it was lost because a stream ended", err)
	}
}

func TestInterruptedRunCleansUpAndTellsWhatItHas(t *testing.T) {
	s := apptest.Start(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	plan := brief(Acknowledge)
	plan.Duration = time.Hour
	result, err := Run(ctx, targetOf(s), plan, func(p Progress) {
		if p.Phase == phaseMeasuring && p.Operations > 0 {
			interrupt()
		}
	})
	if err != nil || !result.Interrupted || result.Operations == 0 || result.Failed() != 0 {
		t.Errorf("got %+v, %v, want what was measured until the interruption", result, err)
	}
	wantClean(t, s)
}

func TestInterruptedPreparationCleansUp(t *testing.T) {
	s := apptest.Start(t)
	ctx, interrupt := context.WithCancel(t.Context())
	stage, err := newStage(ctx, targetOf(s))
	if err != nil {
		t.Fatal(err)
	}
	err = together(ctx, 50, setupAtOnce, func(ctx context.Context, i int) error {
		if i == 20 {
			interrupt()
		}
		_, err := stage.hireOne(ctx)
		return err
	})
	if !errors.Is(err, context.Canceled) || len(stage.people) == 0 {
		t.Errorf("got %v with %d people made, want that it was interrupted after some", err, len(stage.people))
	}
	if err := stage.strike(ctx); err != nil {
		t.Error(err)
	}
	wantClean(t, s)
}

func TestPeopleOfARunCannotCallAfterIt(t *testing.T) {
	s := apptest.Start(t)
	stage, err := newStage(t.Context(), targetOf(s))
	if err != nil {
		t.Fatal(err)
	}
	people, err := stage.hire(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	c := newConnection(readBuffer)
	defer c.close()
	self := newRequest(people[0], http.MethodGet, stage.url("user/me", ""), "")
	if err := c.call(t.Context(), self); err != nil {
		t.Error(err)
	}
	if err := stage.strike(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.call(t.Context(), self); kindOf(err) != "401" {
		t.Errorf("a key of the run got %v after it, want 401", err)
	}
}

// An administrator of organizations cannot lift limits: the run goes on with
// those of the server, and says which calls they refused.
func TestAdministratorRunsWithinTheServersLimits(t *testing.T) {
	s := apptest.Start(t, func(cfg *config.Config) { cfg.Limits.MessagesPerDay = 5 })
	people := s.People()
	target := &Target{BaseURL: s.URL, Key: people.Dana.Key, Secret: people.Dana.Secret}
	for plan := brief(Send); ; plan.Duration *= 2 { // until every key has come to its limit, on a slow machine too
		result, err := Run(t.Context(), target, plan, nil)
		if err != nil {
			t.Fatal(err)
		}
		if result.Operations == int64(5*plan.Connections) && result.Errors["429"] > 0 &&
			strings.Contains(result.FirstError, "daily_limit") {
			break
		}
		if plan.Duration > time.Minute {
			t.Fatalf("got %+v, want 5 messages of each key, and refusals", result)
		}
	}
	organizations, err := people.Dana.Client.UserOrganizations(t.Context(), "me")
	if err != nil || len(organizations) != 1 {
		t.Errorf("the administrator has %d organizations after it, %v; want its own", len(organizations), err)
	}
}

func TestPlansThatCannotBeAreRefused(t *testing.T) {
	good := Plan{Scenario: Send, Connections: 1, Duration: time.Second, Payload: 1, Members: 1}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*Plan){
		"there is no scenario": func(p *Plan) { p.Scenario = "sned" },
		"connections":          func(p *Plan) { p.Connections = 0 },
		"rate":                 func(p *Plan) { p.Rate = -1 },
		"duration":             func(p *Plan) { p.Duration = 0 },
		"warm-up":              func(p *Plan) { p.Warmup = -1 },
		"payload":              func(p *Plan) { p.Payload = 0 },
		"members":              func(p *Plan) { p.Members = 0 },
		"group":                func(p *Plan) { p.Scenario, p.Members = Group, 2001 },
		"idle":                 func(p *Plan) { p.Scenario, p.Rate = Streams, 1 },
		"samples":              func(p *Plan) { p.Scenario, p.Sample = Streams, time.Second },
		"time between":         func(p *Plan) { p.Sample = -1 },
		"have a ttl":           func(p *Plan) { p.TTL = 5 },
		"ttl is":               func(p *Plan) { p.Scenario, p.TTL = Soak, -1 },
	} {
		plan := good
		change(&plan)
		if _, err := Run(t.Context(), &Target{}, plan, nil); !errors.Is(err, ErrPlan) ||
			!strings.Contains(err.Error(), what) {
			t.Errorf("%+v: got %v, want an ErrPlan that names %q", plan, err, what)
		}
	}
}

func TestTheSetCanBeCarriedOut(t *testing.T) {
	plans := Set(time.Second, 0)
	for _, p := range plans {
		floor, ok := FloorOf(p)
		if err := errors.Join(p.Validate(), floor.Validate()); err != nil {
			t.Errorf("%+v and its floor %+v: %v", p, floor, err)
		}
		if floor.Connections != p.Connections || floor.Duration > p.Duration || ok == (p.Scenario == Streams) {
			t.Errorf("the floor of %+v is %+v (%v)", p, floor, ok)
		}
	}
	for _, name := range Scenarios() {
		if name != Floor && name != FileFloor && name != Soak && // a soak is not for some seconds
			!slices.ContainsFunc(plans, func(p Plan) bool { return p.Scenario == name }) {
			t.Errorf("the set lacks %s", name)
		}
	}
	if some := Set(time.Second, 0, Unread); len(some) == 0 ||
		slices.ContainsFunc(some, func(p Plan) bool { return p.Scenario != Unread }) {
		t.Errorf("the set of one scenario is %+v", some)
	}
}

func TestServerThatIsNotThereIsAnError(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // the client would try again
	defer cancel()
	result, err := Run(ctx, &Target{BaseURL: "http://127.0.0.1:1", Key: "k", Secret: "s"}, brief(Send), nil)
	if err == nil || result != nil {
		t.Errorf("got %+v, %v, want an error", result, err)
	}
	s := apptest.Start(t)
	if _, err := Run(t.Context(), &Target{BaseURL: s.URL, Key: s.Operator.Key, Secret: "wrong"}, brief(Send),
		nil); !errors.Is(err, client.ErrUnauthorized) {
		t.Errorf("got %v, want that the credentials are wrong", err)
	}
}

func TestFillStoresAsManyMessagesAsItIsTold(t *testing.T) {
	s := apptest.Start(t)
	target := targetOf(s)
	target.Keep = true
	const messages = 37
	if err := Fill(t.Context(), target, messages, nil); err != nil {
		t.Fatal(err)
	}
	unread := 0
	for hit, err := range s.Operator.Client.SearchAll(t.Context(), client.Search{PageSize: 200}) {
		if err != nil {
			t.Fatal(err)
		}
		n, err := s.Operator.Client.Unread(t.Context(), hit.Entity.Token())
		if err != nil {
			t.Fatal(err)
		}
		unread += n.Count
	}
	if unread != messages {
		t.Errorf("people have %d messages, want %d", unread, messages)
	}
}
