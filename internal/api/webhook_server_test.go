package api_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"signet/internal/api/wire"
	"signet/internal/model"
	"signet/internal/webhook"
)

// startWebhooks gives the server webhooks, whose jobs are done when a test settles them. They may go to this
// machine, and to nowhere with the name forbidden.
func (s *server) startWebhooks(log *slog.Logger) {
	s.t.Helper()
	view := &wire.View{Namespace: "tigertext", Base: s.url}
	s.webhooks = webhook.New(webhook.Options{
		Store: s.store, Access: s.access, Cases: s.service, Vault: s.vault, Hub: s.hub, Clock: s.clock.Now,
		Due: s.clock.Now, Log: log, Client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		Check: func(url string) error {
			if strings.Contains(url, "forbidden") {
				return errors.New("the settings of this server do not allow this host")
			}
			return nil
		},
		Write:  view.EventJSON,
		Chance: func() float64 { return 0.5 },
	})
	s.work.Register(s.webhooks.Kinds()...)
}

// deliver delivers what waits for the webhooks of accounts, and does all else that is due.
func (s *server) deliver(accounts ...*person) {
	s.t.Helper()
	for _, p := range accounts {
		id, _ := model.ParseAccountID(p.token)
		if err := s.webhooks.Arm(context.WithoutCancel(s.t.Context()), id); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := s.work.Settle(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}
