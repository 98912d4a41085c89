package store

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"signet/internal/model"
)

func accounts() *rapid.Generator[model.AccountID] {
	return rapid.Custom(func(t *rapid.T) model.AccountID {
		return model.AccountID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "account"))
	})
}

// What is stored comes back, and an erasure finds whom it names.
func TestPayloadsComeBackAndNameTheirAccount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Payload{
			Account: accounts().Draw(t, "account"),
			Status: rapid.SampledFrom([]model.Status{model.New, model.Delivered, model.Read, model.Confirmed}).Draw(t,
				"status"),
			Time: rapid.Int64().Draw(t, "time"),
		}
		if rapid.Bool().Draw(t, "with more") {
			want.Recalled, want.Added, want.Group = rapid.Bool().Draw(t, "recalled"), rapid.Bool().Draw(t, "added"),
				rapid.Bool().Draw(t, "group")
			want.Caller, want.Entity = accounts().Draw(t, "caller"), model.EntityID(accounts().Draw(t, "entity"))
			want.State, want.Action = rapid.String().Draw(t, "state"), rapid.String().Draw(t, "action")
			want.Minutes = rapid.Int().Draw(t, "minutes")
			want.State, want.Action = strings.ToValidUTF8(want.State, ""), strings.ToValidUTF8(want.Action, "")
		}
		text := want.Encode()
		got, err := ParsePayload(text)
		if err != nil || got != want {
			t.Fatalf("%+v is stored as %q and comes back as %+v, %v", want, text, got, err)
		}
		searched := PayloadNames(want.Account)
		if !want.Account.IsZero() && !strings.Contains(string(text), searched[0]) &&
			!strings.Contains(string(text), searched[1]) {
			t.Fatalf("%q names %s by neither of %q", text, want.Account, searched)
		}
	})
}

// A status is what there are most of: its form is the short one.
func TestStatusesAreStoredShort(t *testing.T) {
	text := Payload{Account: model.AccountID{1, 2, 3}, Status: model.Read, Time: 1795294534889}.Encode()
	if len(text) > 32 || strings.Contains(string(text), "{") {
		t.Errorf("it takes %d bytes: %q", len(text), text)
	}
}

func FuzzParsePayload(f *testing.F) {
	for _, text := range []string{"", "{", "{}", "1", "3" + strings.Repeat("A", 22) + "0", "1" + strings.Repeat("A", 22),
		"2" + strings.Repeat("A", 22) + "z-",
		"2" + strings.Repeat("/", 22) + "zz",
		string(Payload{Account: model.AccountID{9}, Status: model.Read, Time: 7}.Encode())} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		read, err := ParsePayload(text)
		if err != nil {
			return
		}
		again, err := ParsePayload(read.Encode())
		if err != nil || again != read {
			t.Errorf("%q is read as %+v, and stored again as %+v, %v", text, read, again, err)
		}
	})
}
