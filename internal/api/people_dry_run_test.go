package api_test

import (
	"fmt"
	"strings"
	"testing"
)

// toldOf is what a result tells of a person who can't be made: each error with its field, and who
// the person is already.
func toldOf(r value) string {
	var out []string
	if r.has("errors") {
		for _, e := range r.list("errors") {
			out = append(out, e.text("code")+" "+e.text("field"))
		}
		if first := r.list("errors")[0]; first.text("code") != r.text("error", "code") {
			out = append(out, "but first "+r.text("error", "code"))
		}
	}
	if r.has("same_as") {
		out = append(out, fmt.Sprint("same as ", r.int("same_as")))
	}
	if r.has("existing") {
		found := r.at("existing")
		said := found.text("user", "username")
		switch {
		case found.at("member").String() != "true":
			said += " elsewhere"
		case found.has("differs"):
			for _, field := range found.list("differs") {
				said += " " + strings.Trim(field.String(), `"`)
			}
		}
		if found.has("differs") != (found.at("member").String() == "true") {
			said += ", and what differs"
		}
		out = append(out, "is "+said)
	}
	return strings.Join(out, "; ")
}

// A dry run tells all that is wrong with each person, who exists already, and who repeats one
// before. What is made tells the last as well.
func TestDryRunTellsAllOfEachPerson(t *testing.T) {
	t.Parallel()
	s := start(t)
	org, elsewhere := s.mustCreateOrganization("Clinic"), s.mustCreateOrganization("Elsewhere")
	boss := s.mustCreateAdmin(org, "boss")
	s.operator.post("/v2/user", fields{"username": "far", "email": "far@example.com"}, in(elsewhere)).want(200)
	s.operator.post("/v2/user", fields{"username": "Ann", "display_name": "Ann Lee", "title": "Nurse",
		"emails": []string{"ann@example.com", "a@example.com"}, "phone": "+14155550199"}, in(org)).want(200)
	cases := []struct {
		user fields
		want string
	}{
		{fields{"username": "no name", "emails": []string{"x", "y", "z@example.com"}, "phone": "none", "password": "short",
			"title": strings.Repeat("x", 257)},
			"too_long title; username_invalid username; email_invalid emails; email_invalid emails; phone_invalid phone; " +
				"password_invalid password"},
		{fields{"username": 5, "email": "y"}, "field_invalid username; email_invalid email"},
		{fields{"username": 5}, "field_invalid username"},
		{fields{"title": "Nurse"}, "address_required email"},
		{fields{"username": "carmen", "password": "carmen2026"}, "password_common password"},
		{fields{"username": "carmen"}, ""},
		{fields{"username": "ANN", "display_name": " Ann Lee ", "email": "A@example.com", "phone": "+1 (415) 555-0199",
			"title": "Nurse"}, "address_taken username; address_taken email; address_taken phone; is Ann"},
		{fields{"username": "ann", "email": "new@example.com", "phone": "+14155550198", "title": "Nurse", "first_name": "A",
			"department": "Surgery"}, "address_taken username; is Ann first_name department emails phones"},
		{fields{"username": "ann", "email": "x"}, "email_invalid email; address_taken username; is Ann"},
		{fields{"username": "far", "title": "Nurse"}, "address_taken username; is far elsewhere"},
		{fields{"username": "ann", "email": "far@example.com"}, "address_taken username; address_taken email"},
		{fields{"username": "dora"}, ""},
		{fields{"username": "Dora", "email": "dora@example.com"}, "address_taken username; same as 11"},
		{fields{"username": "carmen", "email": "x"}, "email_invalid email; address_taken username; same as 5"},
	}
	var users []fields
	for _, c := range cases {
		users = append(users, c.user)
	}
	look := fields{"users": users, "dry_run": true}
	for i, r := range boss.post("/v2/user/bulk", look, in(org)).want(200).reply().list("results") {
		if got := toldOf(r); got != cases[i].want {
			t.Errorf("%v: got %q, want %q", cases[i].user, got, cases[i].want)
		}
	}
	s.operator.post("/v2/user/bulk", look, in(randomOrganization())).wantMissing()
	made := boss.mustCreateMany(org, []fields{{"username": "emil"}, {"username": "fred"}, {"username": "Emil"}})
	wantResults(t, made, "made", "made", "address_taken")
	if got := toldOf(made[2]); got != "address_taken username; same as 0" {
		t.Errorf("got %q", got)
	}
}
