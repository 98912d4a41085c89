package app

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/openid/openidtest"
	"signet/internal/webpush/webpushtest"
)

// The step of an escalation cannot be done: the database refuses to note it. Then it is done, twenty minutes late.
func tryStepLate(t *testing.T, cfg *config.Config, seen *witness) {
	w := mustWatch(t, cfg, seen, watching{step: 61 * time.Second}) // what fails waits for a minute at most
	w.want(5 * time.Minute)
	change(t, cfg.Data, `CREATE TRIGGER stuck BEFORE UPDATE ON escalation_targets BEGIN SELECT RAISE(ABORT, 'stuck'); END`)
	w.mustSendTo("bob", client.Outgoing{Body: "Bed 4 needs help.",
		Escalate: []client.EscalateStep{{After: 5, To: []string{"carol"}}}})
	w.want(4 * time.Minute)
	failed := 0.0
	fail := func() {
		wantIn(t, "the step fails, again if it did before", func() (more bool) {
			before := failed
			failed = mustFindSeries(t, w.metrics(), `signet_job_failures_total{kind="escalations"}`)
			return failed > before
		})
	}
	w.pass(w.step)
	fail()
	w.each = fail // by then it is tried again
	w.want(5*time.Minute, "SignetEscalationsLate")
	w.want(13*time.Minute, "SignetEscalationsLate", "SignetJobsFailing")
	change(t, cfg.Data, `DROP TRIGGER stuck`)
	w.each = nil
	w.pass(w.step)
	w.until("signet_escalation_steps_total", 1)
	w.want(10*time.Minute, "SignetEscalationsLate") // what was late is told for a while
	w.want(20 * time.Minute)
}

// Push services answer that they cannot, and then can again.
func tryPushServicesFail(t *testing.T, cfg *config.Config, seen *witness) {
	service := webpushtest.NewService(t)
	cfg.Egress.Push, cfg.Egress.Networks = []string{"127.0.0.1"}, []string{"127.0.0.1"}
	w := mustWatch(t, cfg, seen, watching{step: time.Minute})
	const browsers = 5
	for i := range browsers {
		p256dh, auth := webpushtest.NewBrowser(t).Keys()
		must(t, w.bob.Subscribe(t.Context(), client.NewSubscription{Endpoint: fmt.Sprint(service.URL, "/", i),
			Keys: client.SubscriptionKeys{P256DH: p256dh, Auth: auth}}))
	}
	w.want(5 * time.Minute)
	w.mustSendWell()
	w.until(`signet_pushes_total{outcome="pushed"}`, browsers)
	w.want(5 * time.Minute)
	service.Answer(func(webpushtest.Push) (int, http.Header) { return http.StatusServiceUnavailable, nil })
	w.mustSendWell()
	w.until(`signet_pushes_total{outcome="failed"}`, browsers)
	// It is tried again after 5 s, and then after four times as long each time: in the steps after which it is due.
	minute, tries := 0, 1
	w.each = func() {
		minute++
		if minute == 1 || minute == 2 || minute == 4 || minute == 10 {
			tries++
		}
		w.until(`signet_pushes_total{outcome="failed"}`, float64(tries*browsers))
	}
	w.want(14 * time.Minute)
	w.want(6*time.Minute, "SignetPushesFailing")
	w.each = nil
	service.Answer(nil)
	w.want(80 * time.Minute)
	w.until(`signet_pushes_total{outcome="pushed"}`, 2*browsers)
}

// The receiver of a webhook refuses, and takes events again. In the end it says that it wants no more.
func tryReceiverFails(t *testing.T, cfg *config.Config, seen *witness) {
	var answer atomic.Int64
	answer.Store(http.StatusNoContent)
	receiver := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(int(answer.Load()))
	}))
	t.Cleanup(receiver.Close)
	cfg.Egress.Webhooks, cfg.Egress.Networks = []string{"127.0.0.1"}, []string{"127.0.0.1"}
	w := mustWatch(t, cfg, seen, watching{step: 5 * time.Minute})
	made, err := w.bob.CreateWebhook(t.Context(), "me", client.NewWebhook{URL: receiver.URL, Events: []string{"message"}})
	must(t, err)
	deliver := func(outcome string, n float64) {
		t.Helper()
		w.mustSendWell()
		w.until(`signet_webhook_deliveries_total{outcome="`+outcome+`"}`, n)
	}
	deliver("delivered", 1)
	w.want(30 * time.Minute)

	answer.Store(http.StatusServiceUnavailable)
	deliver("refused", 1)
	var hook *client.Webhook
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("at %v the webhook is %+v", w.now(), hook)
		}
	})
	w.each = func() { // what is due has been tried, so that the figures say so
		wantIn(t, "the webhook was tried", func() bool {
			var err error
			hook, err = w.bob.Webhook(t.Context(), "me", made.Webhook)
			must(t, err)
			return hook.Failures == 0 || hook.NextTryTime.After(w.now())
		})
	}
	w.want(55 * time.Minute)
	w.want(20*time.Minute, "SignetWebhookFailing")
	answer.Store(http.StatusNoContent)
	w.want(2 * time.Hour) // the longest of the pauses so far
	w.until(`signet_webhook_deliveries_total{outcome="delivered"}`, 2)

	w.each = nil
	answer.Store(http.StatusGone)
	w.mustSendWell()
	w.until(`signet_webhooks_disabled_total{reason="gone"}`, 1)
	w.want(10*time.Minute, "SignetWebhookDisabled")
	w.want(65 * time.Minute)
	if !strings.Contains(w.log.String(), "a webhook was disabled") {
		t.Error("the log does not say that a webhook was disabled")
	}
}

// A provider of identities does not answer: at first when people come back from it, and then also before they are sent
// there. A few sign-ins that fail, or many in a moment, wake nobody.
func tryProviderAway(t *testing.T, cfg *config.Config, seen *witness) {
	cfg.Egress.Issuers, cfg.Egress.Networks = []string{"127.0.0.1"}, []string{"127.0.0.1"}
	w := mustWatch(t, cfg, seen, watching{step: time.Minute})
	provider := openidtest.NewForger(t, w.now)
	provider.Says(map[string]any{"sub": "1", "email": "erin@example.com", "email_verified": true,
		"preferred_username": "erin", "name": "Erin"})
	organization := w.organization()
	must(t, w.operator(mustReadCredentials(t, w.app.OperatorFile())).SetIdentity(t.Context(), organization,
		client.IdentityChange{Issuer: &provider.URL, ClientID: new(openidtest.ClientID),
			ClientSecret: new(openidtest.ClientSecret), Provision: new(true)}))
	jar, err := cookiejar.New(nil)
	must(t, err)
	browser := &http.Client{Transport: caller.Transport, Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	signIn := func(status int) {
		t.Helper()
		a, _ := mustFetch(t, browser, "GET", w.app.BaseURL()+"/v2/session/oidc/"+organization)
		if a.StatusCode == http.StatusFound {
			a, _ = mustFetch(t, browser, "GET", provider.Visit(a.Header.Get("Location")))
		}
		wantStatus(t, a, status)
	}
	for range 5 {
		signIn(http.StatusSeeOther)
		w.want(5 * time.Minute)
	}

	provider.Down(true)
	for range 20 {
		signIn(http.StatusServiceUnavailable)
	}
	provider.Down(false)
	w.want(40 * time.Minute) // it had restarted
	provider.Down(true)
	for range 4 {
		w.want(9 * time.Minute)
		signIn(http.StatusServiceUnavailable)
	}
	w.each = func() { signIn(http.StatusServiceUnavailable) }
	w.want(10 * time.Minute)
	w.want(10*time.Minute, "SignetProviderUnreachable")
	provider.Down(false)
	w.each = func() { signIn(http.StatusSeeOther) }
	w.want(15 * time.Minute)
}
