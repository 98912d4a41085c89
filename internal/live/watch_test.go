package live

import (
	"slices"
	"testing"

	"signet/internal/model"
)

func TestWatchedAccountsStirOnce(t *testing.T) {
	alice, bob, carol := model.AccountID{1}, model.AccountID{2}, model.AccountID{3}
	h := NewHub(0)
	want := func(what string, want ...model.AccountID) {
		t.Helper()
		told := false
		select {
		case <-h.Stirred():
			told = true
		default:
		}
		got := h.TakeStirred()
		slices.SortFunc(got, func(a, b model.AccountID) int { return slices.Compare(a[:], b[:]) })
		if told != (len(want) > 0) || !slices.Equal(got, want) {
			t.Errorf("%s: told %v of %v, want %v", what, told, got, want)
		}
	}
	h.Wake(t.Context(), alice)
	want("nobody is watched")
	h.Watch([]model.AccountID{alice, bob})
	h.Wake(t.Context(), alice, carol)
	h.Touch([]model.AccountID{alice, bob})
	want("woken and touched", alice, bob)
	h.Feed([]model.AccountID{bob}, func() *Event { t.Error("an event was made for nobody"); return &Event{} })
	want("fed, without a reader", bob)
	h.TouchAll()
	want("all touched", alice, bob)
	h.Watch([]model.AccountID{alice})
	h.Wake(t.Context(), bob)
	want("watched no more")
	h.Hear(Notice{Kind: NoticeWake, Accounts: []model.AccountID{alice}})
	want("woken by another server", alice)
}
