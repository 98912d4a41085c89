package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"signet/client"
	"signet/internal/config"
	"signet/internal/store/postgrestest"
	"signet/internal/webpush/webpushtest"
)

// book is a receiver of a webhook that writes down what comes.
type book struct {
	t   *testing.T
	url string

	mu     sync.Mutex // guards all below
	secret string
	events []string // ids, in the order in which they came, each once
}

func newBook(t *testing.T) *book {
	b := &book{t: t}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

func (b *book) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return // the server was killed
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var got struct {
		Data struct {
			EventID string `json:"event_id"`
		}
	}
	verifier, err := standardwebhooks.NewWebhook(b.secret)
	if err == nil {
		// The clock of the server is hours ahead of that of the receiver.
		err = verifier.VerifyIgnoringTimestamp(text, r.Header)
	}
	if err == nil {
		err = json.Unmarshal(text, &got)
	}
	if err != nil {
		b.t.Errorf("what came is wrong: %v: %s", err, text)
	}
	if !slices.Contains(b.events, got.Data.EventID) {
		b.events = append(b.events, got.Data.EventID)
	}
	w.WriteHeader(http.StatusNoContent)
}

func (b *book) read() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.events)
}

// night is who and what is there in one.
type night struct {
	t        *testing.T
	one, two *mortal
	group    string                       // whoever is on duty
	keys     map[string]*client.IssuedKey // of people by their names
	tokens   map[string]string            // of people
	pushes   *webpushtest.Service
	phones   map[string]*webpushtest.Browser // of people by their names
	book     *book                           // gets the events of the monitoring
}

// at is a person at a server.
func (n *night) at(server *mortal, name string) *client.Client {
	n.t.Helper()
	return server.line().client(n.keys[name].APIKey, n.keys[name].APISecret)
}

// newNight makes a clinic at two servers, with dora on duty and carl behind her.
func newNight(t *testing.T) *night {
	t.Helper()
	cfg := config.Config{}
	sharedKeys(t, &cfg)
	given := serverSettings{Database: postgrestest.URL(t), Keyring: cfg.Keyring, MasterKey: cfg.MasterKey}
	n := &night{t: t, one: mustBeMortalAt(t, given), keys: map[string]*client.IssuedKey{}, tokens: map[string]string{},
		pushes: webpushtest.NewService(t), phones: map[string]*webpushtest.Browser{}, book: newBook(t)}
	n.two = mustBeMortalAt(t, given)
	ctx, operator := t.Context(), n.one.operator()
	organization, err := operator.CreateOrganization(ctx, "Clinic", client.OrganizationSettings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dora", "carl", "monitoring"} {
		user, err := operator.CreateUser(ctx, organization, client.NewUser{Username: name})
		if err == nil {
			n.tokens[name] = user.Token
			n.keys[name], err = operator.CreateKey(ctx, user.Token, client.NewKey{Organization: organization})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	group, err := n.at(n.one, "monitoring").CreateGroup(ctx, client.NewGroup{Name: "On duty",
		Members: []string{n.tokens["dora"]}})
	if err != nil {
		t.Fatal(err)
	}
	n.group = group.Token
	err = operator.SetDuty(ctx, n.group, client.Rota{Timezone: "Europe/Berlin", Always: []string{n.tokens["monitoring"]},
		Rotation: &client.DutyRotation{Accounts: []string{n.tokens["dora"]}, Hours: 12,
			Start: n.one.now().Add(-time.Hour).Truncate(time.Minute)}})
	if err == nil {
		err = operator.SetEscalationPolicy(ctx, organization, client.EscalationPolicy{Name: "night",
			Until: client.UntilConfirmed, Steps: []client.EscalateStep{{After: 5, To: []string{n.tokens["carl"]}}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	n.mustSubscribe(n.one, "dora") // each at the server that will push to it: the other one learns of it within a second
	n.mustSubscribe(n.two, "carl")
	if _, err := n.at(n.one, "monitoring").Poll(ctx, client.PollOptions{AutoAck: true}); err != nil {
		t.Fatal(err)
	}
	made, err := n.at(n.one, "monitoring").CreateWebhook(ctx, "me", client.NewWebhook{URL: n.book.url})
	if err != nil {
		t.Fatal(err)
	}
	n.book.mu.Lock()
	n.book.secret = made.Secret
	n.book.mu.Unlock()
	return n
}

// mustSubscribe has a phone of a person told, at a server.
func (n *night) mustSubscribe(server *mortal, name string) {
	n.t.Helper()
	phone := webpushtest.NewBrowser(n.t)
	n.phones[name] = phone
	p256dh, auth := phone.Keys()
	err := n.at(server, name).Subscribe(n.t.Context(), client.NewSubscription{Endpoint: n.pushes.URL + "/" + name,
		Keys: client.SubscriptionKeys{P256DH: p256dh, Auth: auth}})
	if err != nil {
		n.t.Fatal(err)
	}
}

// wantRings waits until a person's phone is told of something important. Nobody else's is, but the one that was told
// before may be told again: by the server that goes on where the other was killed before it noted its push.
func (n *night) wantRings(name, before string) {
	n.t.Helper()
	late := time.After(time.Minute)
	for rung := false; !rung; {
		select {
		case <-n.pushes.Told():
		case <-late:
			n.t.Fatalf("the phone of %s is told nothing", name)
		}
		for _, push := range n.pushes.Take() {
			to := strings.TrimPrefix(push.Path, "/")
			if to != name && to != before {
				n.t.Fatalf("%s is told; want %s", to, name)
			}
			text, err := n.phones[to].Open(push.Body)
			if err != nil || !strings.Contains(text, `"priority":true`) {
				n.t.Errorf("%s is told %q, %v", to, text, err)
			}
			rung = rung || to == name
		}
	}
}

// mustAlarm POSTs an alert to a server, and returns the message that tells of it.
func (n *night) mustAlarm(server *mortal) string {
	n.t.Helper()
	const alarm = `{"version":"4","status":"firing","alerts":[{"status":"firing","fingerprint":"f1",
		"labels":{"alertname":"DiskFull","severity":"critical"},"startsAt":"2026-11-21T02:10:02Z"}]}`
	url := "http://" + server.addr.Load().(string) + "/v2/hook/alertmanager?escalate=night&recipient=" + n.group
	request, err := http.NewRequestWithContext(n.t.Context(), http.MethodPost, url, strings.NewReader(alarm))
	if err != nil {
		n.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.SetBasicAuth(n.keys["monitoring"].APIKey, n.keys["monitoring"].APISecret)
	answer, err := caller.Do(request)
	if err != nil {
		n.t.Fatal(err)
	}
	defer answer.Body.Close()
	var got struct {
		Reply struct {
			Messages []struct {
				MessageID string `json:"message_id"`
			}
		}
	}
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || len(got.Reply.Messages) != 1 {
		n.t.Fatalf("the alert is answered %d, %v", answer.StatusCode, err)
	}
	return got.Reply.Messages[0].MessageID
}

// await reads a person's queue at a server until an event of it is one that is waited for.
func (n *night) await(server *mortal, name, what string, is func(client.Event) bool) {
	n.t.Helper()
	c, after := n.at(server, name), ""
	for late := time.Now().Add(time.Minute); time.Now().Before(late); {
		events, err := c.Poll(n.t.Context(), client.PollOptions{After: after, Wait: time.Second})
		if err != nil {
			n.t.Fatal(err)
		}
		for _, e := range events {
			if after = e.ID; is(e) {
				return
			}
		}
	}
	n.t.Fatalf("%s does not hear that %s", name, what)
}

// An alert comes in. Whoever is on duty is told on her phone, and does not read it. The server that took the alert
// is killed. The other one sends the alert on to the next, whose phone rings, and who takes it. The monitoring sees
// all of it, and the receiver of its webhook gets every event, in their order.
func TestANight(t *testing.T) {
	t.Parallel()
	n := newNight(t)
	alarm := n.mustAlarm(n.one)
	n.wantRings("dora", "")

	n.one.mu.Lock()
	n.one.end()
	n.one.mu.Unlock()
	n.two.wait(5*time.Minute + time.Second)
	n.wantRings("carl", "dora")
	n.await(n.two, "monitoring", "the alert was sent on", func(e client.Event) bool {
		sentOn, err := e.Escalated()
		return err == nil && sentOn.Step == 1 && slices.Equal(sentOn.To, []string{n.tokens["carl"]})
	})
	n.await(n.two, "carl", "there is an alert", func(e client.Event) bool {
		m, err := e.Message()
		if err != nil || m.Escalation == nil || m.Escalation.MessageID != alarm {
			return false
		}
		if err := n.at(n.two, "carl").Confirm(t.Context(), m.MessageID); err != nil {
			t.Fatal(err)
		}
		return true
	})
	n.await(n.two, "monitoring", "carl has taken it", func(e client.Event) bool {
		s, err := e.Status()
		return err == nil && s.Status == "Confirmed" && s.AccountID == n.tokens["carl"]
	})
	n.one.mu.Lock()
	n.one.given.Ahead = n.two.given.Ahead
	err := n.one.start()
	n.one.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	monitoring := n.at(n.one, "monitoring")
	seen, err := monitoring.Escalation(t.Context(), alarm)
	if err != nil || seen.State != client.UntilConfirmed {
		t.Errorf("the escalation is %+v, %v", seen, err)
	}

	queued, err := monitoring.Poll(t.Context(), client.PollOptions{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, e := range queued {
		want = append(want, e.ID)
	}
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for late := time.Now().Add(time.Minute); len(n.book.read()) < len(want) && time.Now().Before(late); <-again.C {
		n.two.wait(time.Minute) // what failed as the server was killed is tried again after a while
	}
	if got := n.book.read(); !slices.Equal(got, want) {
		t.Errorf("the receiver got %v, want %v", got, want)
	}
}
