package access

import (
	"slices"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
)

// An address that was stored by rules before today's goes on naming its account, and nobody
// gets it a second time.
func TestFormerAddressesStayUsable(t *testing.T) {
	f := newFixture(t)
	insert := func(email, phone string) model.AccountID {
		a := model.Account{ID: f.id(), Created: f.now, Emails: []model.Email{{Address: email}},
			Phones: []model.Phone{{Number: phone}}}
		f.mustUpdate(func(tx *store.Tx) error { return tx.InsertAccount(&a, "") })
		return a.ID
	}
	old := insert("anna@xn--bcher-kva.example", "+100493012341938")
	zero := insert("zoe@xn--bcher-kva.example", "+49030123456")
	today := insert("zoe@bücher.example", "+4930123456")
	for text, want := range map[string]model.AccountID{
		"anna@xn--bcher-kva.example": old, "anna@bücher.example": old, "Anna@BÜCHER.example": old,
		"+100493012341938": old, "0049 30 12341938": old,
		"zoe@xn--bcher-kva.example": zero, "+49 030 123456": zero,
		"zoe@bücher.example": today, "+49 30 123456": today,
	} {
		if got, err := FindAccount(t.Context(), f.store, "US", text); err != nil || got != want {
			t.Errorf("%q names %v (%v), want %v", text, got, err, want)
		}
	}
	f.mustUpdate(func(tx *store.Tx) error {
		for _, text := range []string{"anna@bücher.example", "+49 030 123456"} {
			if err := f.control.WantFree(tx, model.AccountID{}, text); err == nil {
				t.Errorf("%q is free", text)
			}
		}
		return f.control.WantFree(tx, model.AccountID{}, "new@bücher.example", "+14155550100")
	})

	got, err := FormerAddresses(t.Context(), f.store, "US")
	email, phone := model.EmailAddress, model.PhoneAddress
	want := []FormerAddress{
		{old, model.Address{Kind: email, Value: "anna@xn--bcher-kva.example"}, "anna@bücher.example", model.AccountID{}},
		{zero, model.Address{Kind: email, Value: "zoe@xn--bcher-kva.example"}, "zoe@bücher.example", today},
		{old, model.Address{Kind: phone, Value: "+100493012341938"}, "", model.AccountID{}},
		{zero, model.Address{Kind: phone, Value: "+49030123456"}, "+4930123456", today},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("listed are %v (%v), want %v", got, err, want)
	}
}
