// Package egress is the one guard for what goes out of the server to hosts that callers name: the
// push services of browsers, the receivers of webhooks, the issuers of OpenID Connect.
//
// It owns which hosts and which addresses may be called, and how: https, without a redirect, within
// Timeout, and with no more than AnswerLimit bytes of an answer. Addresses are checked where the
// connection is made, after the name was resolved, so that a name which resolves to something else a
// moment later reaches nothing. It does not know what is sent. What the settings name (database,
// bucket, NATS, collector) does not pass through it; internal/app/dialers_test.go lists all that dials.
//
// # Use
//
//	hosts, err := egress.ParseHosts([]string{"hooks.example.com", "*.example.org"})
//	guard := egress.New(egress.Options{Hosts: hosts, Networks: networks})
//	defer guard.Close()
//
//	if err := guard.Check(address); err != nil { // when the caller names it: an *egress.Refusal
//		return model.Invalidf("url_refused", "url", "%s", err)
//	}
//	answer, err := guard.Client().Do(request) // errors.Is(err, egress.ErrRefused): it did not go out
//
// A Guard has connections of its own: make one for each purpose, and keep it. Hosts and networks are
// those of the settings egress.push, egress.webhooks, egress.issuers and egress.networks.
package egress
