package model

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestWhatPeopleWriteIsInNoLog(t *testing.T) {
	const canary = "Canary"
	account := Account{DisplayName: canary, Username: canary, Status: canary, DNDText: canary,
		Emails: []Email{{Address: canary}}, Phones: []Phone{{Number: canary}}}
	content := Content{Body: canary, Data: []DataItem{{canary, canary, canary}},
		Attachment: &Attachment{Name: canary, ContentType: canary}}
	group := Group{Name: canary, Description: canary}
	var out bytes.Buffer
	text, json := slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil))
	for _, value := range []any{
		account, account.Emails[0], account.Phones[0], Address{Kind: EmailAddress, Value: canary}, group,
		Entity{Account: &account, Title: canary}, Entity{Group: &group}, content, content.Data[0], *content.Attachment,
		Message{Content: content}, Key{Key: "k", SecretHash: []byte(canary), Device: canary},
	} {
		out.Reset()
		text.Info("x", "value", value, slog.Group("inner", "value", value))
		json.Info("x", "value", value, slog.Group("inner", "value", value))
		fmt.Fprintf(&out, "%v %+v %s %q", value, value, value, value)
		fmt.Fprintf(&out, "%v %+v", []any{value}, struct{ Value any }{value})
		fmt.Fprint(&out, fmt.Errorf("read %v: %w", value, errors.New("gone")))
		if got := out.String(); strings.Contains(got, canary) {
			t.Errorf("%T is shown: %s", value, got)
		}
	}
}

func TestPanicsAreNamedAndNotQuoted(t *testing.T) {
	for value, want := range map[any]string{"hidden": "string", 7: "int"} {
		if got := PanicText(value); got != want {
			t.Errorf("PanicText(%v) is %q, want %q", value, got, want)
		}
	}
	if got := PanicText(errors.New("hidden")); strings.Contains(got, "hidden") {
		t.Errorf("an error is quoted: %q", got)
	}
	defer func() {
		if got := PanicText(recover()); !strings.Contains(got, "index out of range") {
			t.Errorf("the runtime's error is %q", got)
		}
	}()
	var empty []int
	_ = empty[len(empty)]
}
