package continuation

import (
	"errors"
	"strings"
	"testing"

	"signet/internal/model"
)

type place struct{ After string }

func list(asked ...any) *List {
	return &List{Secret: []byte("a secret of this installation"), Purpose: "test 1", Asked: asked}
}

func mustSeal(t testing.TB, l *List) string {
	t.Helper()
	text, err := l.Seal(place{"x"})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func wantInvalid(t testing.TB, l *List, text string) {
	t.Helper()
	var told *model.Error
	if err := l.Open(text, new(place)); !errors.As(err, &told) || told.Code != "continuation_invalid" ||
		told.Field != "continuation" {
		t.Errorf("%q opens with %v", text, err)
	}
}

func TestAPlaceComesBack(t *testing.T) {
	l := list("ann", []string{"a", "b"}, 7)
	var got place
	if err := l.Open(mustSeal(t, l), &got); err != nil || got != (place{"x"}) {
		t.Errorf("got %v, error %v", got, err)
	}
	if once, again := mustSeal(t, l), mustSeal(t, l); once == again {
		t.Error("the same text twice")
	}
}

func TestAPlaceOfAnotherListIsRefused(t *testing.T) {
	text := mustSeal(t, list("ann", 7))
	purpose, secret := list("ann", 7), list("ann", 7)
	purpose.Purpose, secret.Secret = "test 2", []byte("of another installation")
	for _, other := range []*List{list("bob", 7), list("ann", 8), list("ann"), list(), purpose, secret} {
		wantInvalid(t, other, text)
	}
}

func FuzzOpen(f *testing.F) {
	l := list("ann")
	whole := mustSeal(f, l)
	for _, seed := range []string{"", "=", whole[:9], whole[9:], whole + "A", whole + "\n", whole + "=", whole + whole,
		strings.Repeat("A", most+1)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if text != whole {
			wantInvalid(t, l, text)
		}
	})
}
