package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/searchindex"
)

// whole is an account with every field filled.
func (p *platform) whole(name string) model.Account {
	return model.Account{
		ID: p.id(), Username: name, DisplayName: "Ann Ångström 🐎", FirstName: "Ann", LastName: "Ångström",
		Avatar: "https://example.com/a.png",
		Status: "at work", DND: true, DNDText: "it's quiet", Operator: true, CreatedBy: p.organizationID(), Created: p.now(),
		Emails: []model.Email{{Address: name + "@example.com", Verified: true}, {Address: name + "+2@example.com"}},
		Phones: []model.Phone{{Number: fmt.Sprintf("+1415%07d", p.made.Load()), Verified: true}},
	}
}

func account(id model.AccountID) func(*store.Tx) (model.Account, bool, error) {
	return func(tx *store.Tx) (model.Account, bool, error) { return tx.Account(id) }
}

func accounts(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)

	t.Run("come_back_as_they_were", func(t *testing.T) {
		a, bare := p.whole("ann"), model.Account{ID: p.id(), DisplayName: "x", Created: p.now()}
		p.mustUpdate(t, func(tx *store.Tx) error {
			return errors.Join(tx.InsertAccount(&a, "hash"), tx.InsertAccount(&bare, ""))
		})
		wantEqual(t, "account", mustFind(t, p, "ann", account(a.ID)), a)
		wantEqual(t, "account without anything", mustFind(t, p, "bare", account(bare.ID)), bare)
		exists := mustRead(t, p, func(tx *store.Tx) (bool, error) { return tx.AccountExists(a.ID) })
		wantEqual(t, "exists", exists, true)
	})

	t.Run("are_disabled_and_enabled", func(t *testing.T) {
		organization := p.mustOrganization(t)
		a, b := p.mustAccount(t, "lou"), p.mustAccount(t, "mia")
		kinds := func() []searchindex.Kind {
			t.Helper()
			found := mustRead(t, p, func(tx *store.Tx) ([]searchindex.Entity, error) {
				return searchindex.Entities(tx, organization, []model.EntityID{model.EntityID(a.ID)})
			})
			out := []searchindex.Kind{}
			for _, e := range found {
				out = append(out, e.Kind)
			}
			return out
		}
		p.mustUpdate(t, func(tx *store.Tx) error {
			return searchindex.Put(tx, &searchindex.Entity{Organization: organization, Entity: model.EntityID(a.ID),
				Words: searchindex.JoinWords(map[searchindex.Field][]string{searchindex.Username: {"lou"}})})
		})
		for _, disabled := range []bool{true, true, false} {
			kind, among := searchindex.Account, []model.AccountID(nil)
			if disabled {
				kind, among = searchindex.DisabledAccount, []model.AccountID{a.ID}
			}
			p.mustUpdate(t, func(tx *store.Tx) error {
				return errors.Join(tx.SetDisabled(a.ID, disabled),
					searchindex.SetKind(tx, organization, model.EntityID(a.ID), kind),
					searchindex.SetKind(tx, p.organizationID(), model.EntityID(a.ID), kind))
			})
			wantEqual(t, "disabled", mustFind(t, p, "lou", account(a.ID)).Disabled, disabled)
			wantEqual(t, "the password's", mustRead(t, p,
				func(tx *store.Tx) (store.Password, error) { return tx.Password(a.ID) }).Disabled, disabled)
			wantEqual(t, "disabled of both", mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) {
				return tx.DisabledAmong([]model.AccountID{a.ID, b.ID})
			}), among)
			wantEqual(t, "kinds in the index", kinds(), []searchindex.Kind{kind})
			n := mustRead(t, p, func(tx *store.Tx) (int, error) {
				return searchindex.CountWords(tx, searchindex.Range{Organization: organization, Kind: kind,
					Fields: searchindex.In(searchindex.Username), Text: "lo"}, 9)
			})
			wantEqual(t, "words of the kind", n, 1)
		}
	})

	t.Run("that_are_not_there_are_not_found", func(t *testing.T) {
		stranger := model.AccountID(p.id())
		wantMissing(t, p, "a stranger", account(stranger))
		wantEqual(t, "exists", mustRead(t, p, func(tx *store.Tx) (bool, error) { return tx.AccountExists(stranger) }), false)
		wantEqual(t, "password",
			mustRead(t, p, func(tx *store.Tx) (store.Password, error) { return tx.Password(stranger) }), store.Password{})
	})

	t.Run("are_found_together", func(t *testing.T) {
		var ids []model.AccountID
		for i := range 5 {
			ids = append(ids, p.mustAccount(t, fmt.Sprint("together", i)).ID)
		}
		all := mustRead(t, p, func(tx *store.Tx) ([]model.Account, error) { return tx.Accounts(append(ids, p.id())) })
		got := []model.AccountID{}
		for _, a := range all {
			got = append(got, a.ID)
		}
		slices.SortFunc(got, func(a, b model.AccountID) int { return slices.Compare(a[:], b[:]) })
		wantEqual(t, "accounts", got, ids)
		wantEqual(t, "of nobody",
			len(mustRead(t, p, func(tx *store.Tx) ([]model.Account, error) { return tx.Accounts(nil) })), 0)
	})

	t.Run("change_their_profile_and_nothing_else", func(t *testing.T) {
		a, other := p.whole("bob"), p.mustAccount(t, "bystander")
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertAccount(&a, "hash") })
		a.DisplayName, a.FirstName, a.LastName, a.Avatar, a.Status, a.DND, a.DNDText = "B", "b", "bb", "", "away", false, ""
		changed := a
		changed.Username, changed.Operator, changed.Emails, changed.CreatedBy = "other", false, nil, ""
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.UpdateProfile(&changed) })
		wantEqual(t, "account", mustFind(t, p, "bob", account(a.ID)), a)
		wantEqual(t, "bystander", mustFind(t, p, "bystander", account(other.ID)), other)
	})

	t.Run("change_their_password", func(t *testing.T) {
		a := p.whole("eve")
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertAccount(&a, "first") })
		hash := func() string {
			return mustRead(t, p, func(tx *store.Tx) (store.Password, error) { return tx.Password(a.ID) }).Hash
		}
		wantEqual(t, "hash", hash(), "first")
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.SetPassword(a.ID, store.Password{Hash: "second"}) })
		wantEqual(t, "hash after the change", hash(), "second")
	})

	t.Run("tell_whether_there_is_an_operator", func(t *testing.T) {
		p := newPlatform(t, h)
		operator := func() bool {
			return mustRead(t, p, func(tx *store.Tx) (bool, error) { return tx.HasOperator() })
		}
		p.mustAccount(t, "ann")
		wantEqual(t, "operator", operator(), false)
		p.mustAccount(t, "root", func(a *model.Account) { a.Operator = true })
		wantEqual(t, "operator", operator(), true)
	})

	t.Run("tell_whether_there_is_an_organization", func(t *testing.T) {
		p := newPlatform(t, h)
		organization := func() bool {
			return mustRead(t, p, func(tx *store.Tx) (bool, error) { return tx.HasOrganization() })
		}
		before := organization()
		p.mustOrganization(t)
		if before || !organization() {
			t.Errorf("there is an organization: %t before the first was made, %t after it", before, organization())
		}
	})

	t.Run("list_the_operators_the_oldest_first", func(t *testing.T) {
		p := newPlatform(t, h)
		operators := func() []model.AccountID {
			return mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) { return tx.Operators() })
		}
		wantEqual(t, "operators of nobody", operators(), nil)
		p.mustAccount(t, "ann")
		later := p.mustAccount(t, "second", func(a *model.Account) { a.Operator, a.Created = true, p.now().Add(time.Hour) })
		first := p.mustAccount(t, "first", func(a *model.Account) { a.Operator = true })
		wantEqual(t, "operators", operators(), []model.AccountID{first.ID, later.ID})
	})
}

func at(kind model.AddressKind, value string) func(*store.Tx) (model.AccountID, bool, error) {
	return func(tx *store.Tx) (model.AccountID, bool, error) {
		return tx.AccountAt(model.Address{Kind: kind, Value: value})
	}
}

func addresses(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)

	t.Run("name_their_account_in_their_kind_only", func(t *testing.T) {
		a := p.whole("Ann.Other")
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertAccount(&a, "") })
		wantEqual(t, "by username", mustFind(t, p, "username", at(model.UsernameAddress, "ann.other")), a.ID)
		for _, e := range a.Emails {
			wantEqual(t, "by e-mail", mustFind(t, p, "e-mail", at(model.EmailAddress, e.Address)), a.ID)
		}
		wantEqual(t, "by phone", mustFind(t, p, "phone", at(model.PhoneAddress, a.Phones[0].Number)), a.ID)
		wantMissing(t, p, "an e-mail as a username", at(model.UsernameAddress, a.Emails[0].Address))
		wantMissing(t, p, "a username as an e-mail", at(model.EmailAddress, "ann.other"))
		wantMissing(t, p, "nothing", at(model.UsernameAddress, ""))
		wantMissing(t, p, "a part", at(model.UsernameAddress, "ann.othe"))
		wantMissing(t, p, "a pattern", at(model.UsernameAddress, "ann%"))
	})

	t.Run("are_read_in_their_order", func(t *testing.T) {
		p := newPlatform(t, h)
		first := model.Account{ID: p.id(), Created: p.now(), Emails: []model.Email{{Address: "b@x"}, {Address: "Ü@x"}}}
		second := model.Account{ID: p.id(), Created: p.now(), Emails: []model.Email{{Address: "a@x"}},
			Phones: []model.Phone{{Number: "+4930123456"}}}
		for _, a := range []*model.Account{&first, &second} {
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertAccount(a, "") })
		}
		var got []store.ClaimedAddress
		for after := ""; ; {
			page := mustRead(t, p, func(tx *store.Tx) ([]store.ClaimedAddress, error) {
				return tx.ClaimedAddresses(model.EmailAddress, after, 2)
			})
			if len(page) == 0 {
				break
			}
			got, after = append(got, page...), page[len(page)-1].Address.Value
		}
		claimed := func(value string, account model.AccountID) store.ClaimedAddress {
			return store.ClaimedAddress{Address: model.Address{Kind: model.EmailAddress, Value: value}, Account: account}
		}
		wantEqual(t, "e-mails", got, []store.ClaimedAddress{claimed("a@x", second.ID), claimed("b@x", first.ID),
			claimed("Ü@x", first.ID)})
	})

	t.Run("differ_by_case_only_where_the_model_says_so", func(t *testing.T) {
		// Usernames are folded by the model; the store compares byte by byte.
		p.mustAccount(t, "Carla")
		err := p.Update(t.Context(), func(tx *store.Tx) error {
			return tx.InsertAccount(&model.Account{ID: p.id(), Username: "CARLA", Created: p.now()}, "")
		})
		wantTaken(t, err, "username")
		wantMissing(t, p, "another case", at(model.UsernameAddress, "Carla"))
		for i, address := range []string{"É@example.com", "é@example.com", "e\u0301@example.com", "e@example.com"} {
			a := p.mustAccount(t, fmt.Sprint("accent", i),
				func(a *model.Account) { a.Emails = []model.Email{{Address: address}} })
			wantEqual(t, address, mustFind(t, p, address, at(model.EmailAddress, address)), a.ID)
		}
	})

	t.Run("belong_to_one_account_each", func(t *testing.T) {
		a := p.whole("dora")
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertAccount(&a, "") })
		for field, other := range map[string]model.Account{
			"username": {Username: "DORA"},
			"email":    {Username: "dora2", Emails: []model.Email{{Address: "new@example.com"}, a.Emails[1]}},
			"phone":    {Username: "dora3", Phones: a.Phones},
		} {
			other.ID, other.Created = p.id(), p.now()
			wantTaken(t, p.Update(t.Context(), func(tx *store.Tx) error { return tx.InsertAccount(&other, "") }), field)
			wantMissing(t, p, "the account that was refused", account(other.ID))
		}
		wantMissing(t, p, "an address of an account that was refused", at(model.EmailAddress, "new@example.com"))
		wantMissing(t, p, "a username of an account that was refused", at(model.UsernameAddress, "dora2"))
	})

	t.Run("go_to_one_of_many_who_ask_at_the_same_time", func(t *testing.T) {
		d := conformance.NewDatabase(t, h)
		nodes := d.MustOpenNodes(t, h)
		stores := make([]*store.Store, len(nodes))
		for i, e := range nodes {
			var err error
			if stores[i], err = store.Open(t.Context(), e, conformance.Epoch("first")); err != nil {
				t.Fatal(err)
			}
			stores[i].Authenticate(rowKey, nil)
		}
		const workers = 8
		var won atomic.Int32
		conformance.Everywhere(t, nodes, workers, func(_ store.Engine, worker int) error {
			a := model.Account{ID: p.id(), Username: "wanted", Created: p.now()}
			err := stores[worker%len(stores)].Update(t.Context(), func(tx *store.Tx) error { return tx.InsertAccount(&a, "") })
			if err == nil {
				won.Add(1)
				return nil
			}
			wantTaken(t, err, "username")
			return nil
		})
		wantEqual(t, "accounts that got the name", won.Load(), 1)
	})
}

// wantTaken reports any error but the one that says whose address is taken.
func wantTaken(t testing.TB, err error, field string) {
	t.Helper()
	var fault *model.Error
	if !errors.As(err, &fault) || fault.Kind != model.Invalid || fault.Code != "address_taken" || fault.Field != field {
		t.Errorf("error %v, want address_taken of %s", err, field)
	}
}
