package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/erasure"
)

// provider is one of an organization.
func provider(organization model.OrganizationID, now time.Time) *store.ProviderRow {
	return &store.ProviderRow{Secret: []byte("sealed"), Provider: model.Provider{Organization: organization,
		Issuer: "https://login.example.com", ClientID: "signet", Name: "Login", Domains: []string{"example.com"},
		Claims: model.ClaimNames{Groups: "roles"}, AdminGroups: []string{"admins"}, Provision: true, Passwords: true,
		Enabled: true, Version: 1, Created: now}}
}

// heldBy is the error of a write that has to take effect.
func heldBy(ok bool, err error) error {
	if err == nil && !ok {
		err = errors.New("it is another's already")
	}
	return err
}

func providers(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	first, second := p.mustOrganization(t, ann), p.mustOrganization(t, bob)
	read := func(o model.OrganizationID) (store.ProviderRow, bool) {
		t.Helper()
		found := false
		row := mustRead(t, p, func(tx *store.Tx) (row store.ProviderRow, err error) {
			row, found, err = tx.Provider(o)
			return row, err
		})
		return row, found
	}
	want := provider(first, p.now())
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.PutProvider(want) })
	got, _ := read(first)
	wantEqual(t, "the provider", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", *want))
	want.Issuer, want.Passwords, want.Shown, want.Version, want.Domains = "https://other.example.com", false, true, 2, nil
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.PutProvider(want) })
	got, _ = read(first)
	wantEqual(t, "as it was changed", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", *want))
	hidden := provider(second, p.now())
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.PutProvider(hidden) })
	shown := mustRead(t, p, func(tx *store.Tx) ([]store.ProviderRow, error) { return tx.ShownProviders(10) })
	wantEqual(t, "shown to everybody", len(shown), 1)
	after := mustRead(t, p, func(tx *store.Tx) ([]store.ProviderRow, error) { return tx.ProvidersAfter("", 10) })
	wantEqual(t, "all", len(after), 2)

	// A confirmed domain is of one organization alone.
	confirm := func(o model.OrganizationID, domain string) (ok bool) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			ok, err = tx.ConfirmDomain(&store.ConfirmedDomain{Domain: domain, Organization: o, Confirmed: p.now()})
			return err
		})
		return ok
	}
	wantEqual(t, "confirmed", confirm(first, "example.com"), true)
	wantEqual(t, "again", confirm(first, "example.com"), true)
	wantEqual(t, "for another one", confirm(second, "example.com"), false)
	wantEqual(t, "another", confirm(second, "example.org"), true)
	owner := mustFind(t, p, "the owner", func(tx *store.Tx) (model.OrganizationID, bool, error) {
		return tx.DomainOwner("example.com")
	})
	wantEqual(t, "whose it is", owner, first)
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.DropDomain(second, "example.com") }) // which it has not
	domains := mustRead(t, p, func(tx *store.Tx) ([]store.ConfirmedDomain, error) { return tx.DomainsOf(first) })
	wantEqual(t, "domains", len(domains), 1)

	p.mustUpdate(t, func(tx *store.Tx) error {
		found, err := tx.DeleteProvider(first)
		wantEqual(t, "deleted", found, true)
		return err
	})
	_, found := read(first)
	wantEqual(t, "it is there", found, false)
	wantMissing(t, p, "the owner", func(tx *store.Tx) (model.OrganizationID, bool, error) {
		return tx.DomainOwner("example.com")
	})
	wantEqual(t, "free", confirm(second, "example.com"), true)

	// What a deleted organization had opens nothing at once, and is erased in pieces.
	p.mustUpdate(t, func(tx *store.Tx) error { return erasure.EndOrganization(tx, second) })
	_, found = read(second)
	wantEqual(t, "of a deleted organization", found, false)
	for more := true; more; {
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			_, _, more, err = erasure.EraseBesides(tx, second, 0, 1)
			return err
		})
	}
	wantEqual(t, "the domain of an erased one", confirm(first, "example.org"), true)
}

func subjects(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	o, other := p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann)
	link := func(o model.OrganizationID, subject string, account model.AccountID, version int64) (ok bool) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			ok, err = tx.LinkSubject(&store.SubjectRow{Subject: model.Subject{Organization: o, Issuer: "issuer",
				Subject: subject}, Account: account, Version: version, Linked: p.now()})
			return err
		})
		return ok
	}
	find := func(o model.OrganizationID, issuer, subject string) func(*store.Tx) (store.SubjectRow, bool, error) {
		return func(tx *store.Tx) (store.SubjectRow, bool, error) {
			return tx.SubjectAccount(model.Subject{Organization: o, Issuer: issuer, Subject: subject})
		}
	}
	wantEqual(t, "linked", link(o, "one", ann, 1), true)
	wantEqual(t, "again", link(o, "one", ann, 2), true)
	wantEqual(t, "to another", link(o, "one", bob, 2), false)
	row := mustFind(t, p, "ann", find(o, "issuer", "one"))
	wantEqual(t, "whose", row.Account, ann)
	wantEqual(t, "by which version", row.Version, 2)
	wantMissing(t, p, "of another issuer", find(o, "another", "one"))
	wantMissing(t, p, "of another organization", find(other, "issuer", "one"))
	wantMissing(t, p, "in other letters", find(o, "issuer", "ONE"))
	known := mustRead(t, p, func(tx *store.Tx) ([]store.SubjectRow, error) {
		return tx.SubjectsOf(o, []model.AccountID{ann, bob})
	})
	wantEqual(t, "known", len(known), 1)

	// Keys that came of sign-ins are found by person and by session, until the keys are gone.
	for i, sid := range []string{"s1", "s2", ""} {
		key := fmt.Sprint("key", i)
		p.mustUpdate(t, func(tx *store.Tx) error {
			return errors.Join(tx.InsertKey(&model.Key{Key: key, Account: ann, Scope: o, SecretHash: []byte{1},
				PreviousHash: []byte{}, Counter: key, Created: p.now()}),
				tx.PutSubjectKey(&store.SubjectKey{Subject: row.Subject, Session: sid, Account: ann, Key: key}))
		})
	}
	count := func(subject, session string) int {
		t.Helper()
		return len(mustRead(t, p, func(tx *store.Tx) ([]store.SubjectKey, error) {
			return tx.SubjectKeys(model.Subject{Organization: o, Issuer: "issuer", Subject: subject}, session)
		}))
	}
	wantEqual(t, "of the person", count("one", ""), 3)
	wantEqual(t, "of a session", count("", "s1"), 1)
	wantEqual(t, "of a session of the person", count("one", "s2"), 1)
	wantEqual(t, "of a session of another", count("two", "s2"), 0)
	but := func(issuer string) int {
		t.Helper()
		return len(mustRead(t, p, func(tx *store.Tx) ([]store.SubjectKey, error) { return tx.SubjectKeysBut(o, issuer) }))
	}
	wantEqual(t, "of other issuers", but("issuer"), 0)
	wantEqual(t, "of other issuers than another one", but("another"), 3)
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteKeys([]string{"key0"}) })
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.DropSubjectKeys() })
	wantEqual(t, "once a key is gone", count("one", ""), 2)

	// A provider that is removed knows nobody, and what came of its sign-ins can still be found.
	p.mustUpdate(t, func(tx *store.Tx) error {
		_, err := tx.DeleteProvider(o)
		return err
	})
	wantMissing(t, p, "of a provider that was removed", find(o, "issuer", "one"))
	wantEqual(t, "keys of a provider that was removed", but(""), 2)
	wantEqual(t, "linked anew", link(o, "one", ann, 3), true)

	// Who leaves is known no more.
	wantEqual(t, "linked elsewhere", link(other, "one", ann, 1), true)
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteMembership(o, ann) })
	wantMissing(t, p, "ann, who has left", find(o, "issuer", "one"))
	mustFind(t, p, "ann elsewhere", find(other, "issuer", "one"))
	p.mustUpdate(t, func(tx *store.Tx) error { return erasure.CloseAccount(tx, ann) })
	wantMissing(t, p, "ann, who has ended", find(other, "issuer", "one"))
	wantEqual(t, "keys of who has ended", count("one", ""), 0)
}

func signIns(t *testing.T, h conformance.Harness) {
	p, ann, _ := newPair(t, h)
	o, other := p.mustOrganization(t, ann), p.mustOrganization(t, ann)
	token := bytes.Repeat([]byte{7}, 32)
	put := func() (ok bool) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			ok, err = tx.PutSignIn(&store.SignIn{Token: token, Organization: o, Said: `{"kind":"x"}`, Created: p.now()})
			return err
		})
		return ok
	}
	take := func(o model.OrganizationID, since time.Time) (s store.SignIn, found bool) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			s, found, err = tx.TakeSignIn(o, token, since)
			return err
		})
		return s, found
	}
	wantEqual(t, "put", put(), true)
	wantEqual(t, "put again", put(), false)
	begun := p.now().Add(-time.Minute)
	_, found := take(other, begun)
	wantEqual(t, "taken by another organization", found, false)
	_, found = take(o, p.now())
	wantEqual(t, "taken too late", found, false)
	got := mustFind(t, p, "it", func(tx *store.Tx) (store.SignIn, bool, error) { return tx.SignIn(o, token, begun) })
	wantEqual(t, "what it says", got.Said, `{"kind":"x"}`)
	_, found = take(o, begun)
	wantEqual(t, "taken", found, true)
	_, found = take(o, begun)
	wantEqual(t, "taken twice", found, false)
	wantEqual(t, "put once more", put(), true)
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteSignInsBefore(p.now()) })
	mustFind(t, p, "it", func(tx *store.Tx) (store.SignIn, bool, error) { return tx.SignIn(o, token, begun) })
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteSignInsBefore(p.now().Add(time.Millisecond)) })
	wantMissing(t, p, "what is swept", func(tx *store.Tx) (store.SignIn, bool, error) {
		return tx.SignIn(o, token, begun)
	})
}
