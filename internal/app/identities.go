package app

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/egress"
	"signet/internal/identity"
)

// identities are the sign-ins with providers of a server, with what lets them out.
type identities struct {
	*identity.Identities
	guard *egress.Guard
}

// newIdentities makes sign-ins that may call the issuers which the settings name.
func newIdentities(in surroundings, d *data, p *parts) *identities {
	hosts, networks := in.cfg.Egress.IssuerHosts()
	guard := egress.New(egress.Options{Hosts: hosts, Networks: networks})
	return &identities{guard: guard, Identities: identity.New(identity.Options{
		Store: d.kept, Access: p.access, People: p.people, Vault: p.vault, Hub: p.hub, Clock: in.clock, Log: in.log,
		Client: guard.Client(), Check: guard.Check,
	})}
}

// run ends the connections to issuers with the server.
func (i *identities) run(ctx context.Context) {
	<-ctx.Done()
	i.guard.Close()
}

// registerIdentities adds what became of sign-ins with providers.
func registerIdentities(metrics prometheus.Registerer, i *identities) error {
	const (
		ended     = "Sign-ins with providers of identities, by how they ended."
		made      = "Accounts that were made at the first sign-in with a provider of identities."
		loggedOut = "Sessions that providers of identities ended."
	)
	c := &i.Counts
	return register(metrics,
		counter("signet_identity_sign_ins_total", ended, labels{"outcome": "signed_in"}, c.SignedIn.Load),
		counter("signet_identity_sign_ins_total", ended, labels{"outcome": "refused"}, c.Refused.Load),
		counter("signet_identity_sign_ins_total", ended, labels{"outcome": "unreachable"}, c.Unreachable.Load),
		counter("signet_identity_accounts_total", made, nil, c.Made.Load),
		counter("signet_identity_logouts_total", loggedOut, nil, c.LoggedOut.Load))
}
