package scim

import (
	"encoding/json"
	"os"
	"testing"

	"signet/internal/model"
	"signet/internal/testenv"
)

func TestMain(m *testing.M) {
	testenv.Clear()
	os.Exit(m.Run())
}

// mustDecode reads the JSON of a request.
func mustDecode(t testing.TB, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

// ann is a person of a directory.
func ann() User {
	return User{ID: "0198", ExternalID: "E-1", Name: "Ann.Ames@example.com", GivenName: "Ann", FamilyName: "Ames",
		DisplayName: "Ann Ames", Title: "Nurse", Department: "Cardiology", Active: true,
		Emails: []Address{{"ann@example.com", "work"}, {"a@home.example", "home"}},
		Phones: []Address{{"+4930123456", "work"}}}
}

// wantCode checks which error is told.
func wantCode(t testing.TB, what string, err error, code string) {
	t.Helper()
	told, _ := err.(*model.Error)
	switch {
	case code == "" && err == nil:
	case told == nil:
		t.Errorf("%s: got %v, want %q", what, err, code)
	case told.Code != code:
		t.Errorf("%s: got %s (%s), want %q", what, told.Code, told.Message, code)
	}
}
