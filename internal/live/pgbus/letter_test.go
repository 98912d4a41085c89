package pgbus

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"signet/internal/live"
	"signet/internal/live/envelope"
	"signet/internal/model"
)

// people returns so many accounts.
func people(n int) (out []model.AccountID) {
	for i := range n {
		out = append(out, model.AccountID{byte(i >> 16), byte(i >> 8), byte(i)})
	}
	return out
}

// mustCarry writes a notice and returns what its letters say. Each fits a notification.
func mustCarry(t *testing.T, n live.Notice) (out []live.Notice) {
	t.Helper()
	letters, err := write(n)
	if err != nil {
		t.Fatal(err)
	}
	for _, letter := range letters {
		if size := base64.RawStdEncoding.EncodedLen(len(letter) + envelope.Overhead); size > payloadLimit {
			t.Errorf("a letter of %s becomes %d bytes, more than %d", n.Kind, size, payloadLimit)
		}
		part, err := read(letter)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, part)
	}
	return out
}

func TestLettersSayWhatTheNoticeDoes(t *testing.T) {
	for _, n := range []live.Notice{
		{Kind: live.NoticeWake, Accounts: people(3)},
		{Kind: live.NoticeWake, Accounts: people(1), Trace: slices.Repeat(
			[]string{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}, 8)},
		{Kind: live.NoticeForget, Accounts: people(1)},
		{Kind: live.NoticeSignal, Accounts: people(2), Signal: &live.Signal{ID: "id", Kind: model.EventTyping,
			Feature: live.FeatureTyping, Typing: &model.Typing{Sender: model.AccountID{7}, Active: true},
			Within: []model.OrganizationID{"abcdefghijklmnopqrstuvwx"}, Scoped: true}},
		{Kind: live.NoticeEnd, Accounts: people(1), Ending: &live.Ending{Reason: live.Revoked, Key: "key",
			Keep: model.SecretMark{1}, Streams: []model.StreamID{{1}}, Scope: "abcdefghijklmnopqrstuvwx"}},
		{Kind: "of a later version", Accounts: people(1)},
	} {
		if got := mustCarry(t, n); len(got) != 1 || !reflect.DeepEqual(got[0], n) {
			t.Errorf("got %+v, want %+v", got, n)
		}
	}
}

func TestNoticeOfManyAccountsIsSeveralLetters(t *testing.T) {
	many := people(2000)
	got := mustCarry(t, live.Notice{Kind: live.NoticeForget, Accounts: many})
	var named []model.AccountID
	for _, n := range got {
		if n.Kind != live.NoticeForget {
			t.Errorf("a part says %q", n.Kind)
		}
		named = append(named, n.Accounts...)
	}
	if !slices.Equal(named, many) || len(got) != 6 {
		t.Errorf("%d letters name %d accounts, want 6 that name all %d in their order", len(got), len(named), len(many))
	}
}

func TestNoticeThatListsMuchIsSeveralWhichTogetherSayTheSame(t *testing.T) {
	var streams []model.StreamID
	for _, account := range people(1000) {
		streams = append(streams, model.StreamID(account))
	}
	var ended []model.StreamID
	for _, n := range mustCarry(t, live.Notice{Kind: live.NoticeEnd, Accounts: people(1),
		Ending: &live.Ending{Reason: live.Replaced, Streams: streams}}) {
		if n.Ending.Reason != live.Replaced || len(n.Ending.Streams) == 0 {
			t.Errorf("a part ends %+v", n.Ending)
		}
		ended = append(ended, n.Ending.Streams...)
	}
	if !slices.Equal(ended, streams) {
		t.Errorf("%d streams are ended, want %d", len(ended), len(streams))
	}

	var within []model.OrganizationID
	for i := range 3*listed + 1 {
		within = append(within, model.OrganizationID(fmt.Sprintf("%024d", i)))
	}
	for _, scoped := range []bool{false, true} {
		parts := mustCarry(t, live.Notice{Kind: live.NoticeSignal, Accounts: people(1), Signal: &live.Signal{ID: "one",
			Kind: model.EventPresence, Presence: &model.Presence{Available: true}, Within: within, Scoped: scoped}})
		for _, reader := range append([]model.OrganizationID{"", "another"}, within...) {
			want, heard := 1, 0
			if reader == "another" || reader == "" && scoped {
				want = 0
			}
			for _, n := range parts {
				if n.Signal.Reaches(reader) {
					heard++
				}
			}
			if heard != want {
				t.Errorf("a reader of scope %q hears it %d times, want %d (scoped: %t)", reader, heard, want, scoped)
			}
		}
	}
}

func TestNoticeThatFitsNoLetterIsRefused(t *testing.T) {
	_, err := write(live.Notice{Kind: live.NoticeEnd, Accounts: people(1),
		Ending: &live.Ending{Key: string(make([]byte, payloadLimit))}})
	if err == nil {
		t.Error("it is written")
	}
}

func TestWakeUpsThatFollowEachOtherAreOne(t *testing.T) {
	a, b, c := model.AccountID{1}, model.AccountID{2}, model.AccountID{3}
	wake := func(accounts ...model.AccountID) live.Notice {
		return live.Notice{Kind: live.NoticeWake, Accounts: accounts}
	}
	typing := live.Notice{Kind: live.NoticeSignal, Accounts: []model.AccountID{b, a, a}, Signal: &live.Signal{}}
	got := merge([]live.Notice{wake(b, a), wake(c, b), typing, wake(a), wake(a)})
	if want := []live.Notice{wake(a, b, c), typing, wake(a)}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Only nodes of the installation can seal a letter. They may be of another version.
func FuzzRead(f *testing.F) {
	for _, n := range []live.Notice{
		{Kind: live.NoticeWake, Accounts: people(3)},
		{Kind: live.NoticeSignal, Accounts: people(1), Signal: &live.Signal{ID: "id", Kind: model.EventUpdate}},
		{Kind: live.NoticeEnd, Accounts: people(1), Ending: &live.Ending{Reason: live.Deleted}},
	} {
		letters, err := write(n)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(letters[0])
		f.Add(letters[0][:len(letters[0])-1])
	}
	f.Add(beat)
	f.Add([]byte{0xff, 0xff})
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := read(text)
		if err != nil || len(parts(n)) > 1 {
			return
		}
		letters, err := write(n)
		if err != nil {
			return // it has more to say than one letter holds
		}
		var named []model.AccountID
		for _, l := range letters {
			again, err := read(l)
			if err != nil {
				t.Fatalf("what was written cannot be read: %v", err)
			}
			named = append(named, again.Accounts...)
		}
		if !slices.Equal(named, n.Accounts) {
			t.Fatalf("%d accounts are named, want %d", len(named), len(n.Accounts))
		}
	})
}
