package scim

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// patched is a PATCH of operations, written as JSON.
func patched(t testing.TB, operations string) (User, error) {
	t.Helper()
	p, err := People.ParsePatch(mustDecode(t, `{"schemas":["`+PatchMessage+`"],"Operations":`+operations+`}`))
	if err != nil {
		return User{}, err
	}
	return p.PatchUser(ann())
}

func TestPatchesChangeWhatTheyName(t *testing.T) {
	const enterprise = EnterpriseSchema
	for _, c := range []struct {
		what, operations string
		want             func(u *User)
	}{
		{"Entra's disabling", `[{"op":"Replace","path":"active","value":"False"}]`, func(u *User) { u.Active = false }},
		{"Okta's disabling", `[{"op":"replace","value":{"active":false}}]`, func(u *User) { u.Active = false }},
		{"a work address, as Entra names it", `[{"op":"Replace","path":"emails[type eq \"work\"].value","value":"b@example.com"}]`,
			func(u *User) { u.Emails[0].Value = "b@example.com" }},
		{"an address that is not there", `[{"op":"Add","path":"phoneNumbers[type eq \"mobile\"].value","value":"+491701234567"}]`,
			func(u *User) { u.Phones = append(u.Phones, Address{"+491701234567", "mobile"}) }},
		{"paths as names, without a path", `[{"op":"Add","value":{"name.givenName":"Anna","` + enterprise +
			`:department":"ICU","emails[type eq \"home\"].value":"h@example.com"}}]`,
			func(u *User) { u.GivenName, u.Department, u.Emails[1].Value = "Anna", "ICU", "h@example.com" }},
		{"an extension by its path", `[{"op":"replace","path":"` + enterprise + `","value":{"department":"ICU"}}]`,
			func(u *User) { u.Department = "ICU" }},
		{"an extension as a value", `[{"op":"replace","value":{"` + enterprise + `":{"Department":"ICU","manager":{"value":"7"}}}}]`,
			func(u *User) { u.Department = "ICU" }},
		{"an extension away", `[{"op":"remove","path":"` + enterprise + `:department"}]`, func(u *User) { u.Department = "" }},
		{"an extension with a full stop", `[{"op":"replace","path":"` + enterprise + `.department","value":"ICU"}]`,
			func(u *User) { u.Department = "ICU" }},
		{"a part of a name", `[{"op":"replace","path":"name","value":{"familyName":"Bell"}}]`,
			func(u *User) { u.FamilyName = "Bell" }},
		{"a part away", `[{"op":"remove","path":"name.givenName"}]`, func(u *User) { u.GivenName = "" }},
		{"an empty text", `[{"op":"replace","path":"title","value":""}]`, func(u *User) { u.Title = "" }},
		{"what is not kept", `[{"op":"add","path":"addresses[type eq \"work\"].locality","value":"Berlin"},
			{"op":"replace","path":"nickName","value":"x"},{"op":"add","value":{"roles":[],"x":1}},
			{"op":"add","path":"urn:example:2.0:User:thing","value":"x"}]`, func(*User) {}},
		{"what nobody may change", `[{"op":"replace","value":{"id":"9","meta":{"created":"x"},"schemas":[]}}]`, func(*User) {}},
		{"a list in place of one", `[{"op":"replace","path":"emails","value":[{"value":"x@example.com"},
			{"value":"y@example.com","primary":true,"type":"home"}]}]`,
			func(u *User) { u.Emails = []Address{{"y@example.com", "home"}, {"x@example.com", ""}} }},
		{"one more address", `[{"op":"add","path":"emails","value":{"value":"z@example.com","type":"other"}}]`,
			func(u *User) { u.Emails = append(u.Emails, Address{"z@example.com", "other"}) }},
		{"an address once more", `[{"op":"add","path":"emails","value":[{"value":"ANN@example.com","type":"other"}]}]`,
			func(u *User) { u.Emails[0] = Address{"ANN@example.com", "other"} }},
		{"an address away by its type", `[{"op":"remove","path":"emails[type eq \"home\"]"}]`,
			func(u *User) { u.Emails = u.Emails[:1] }},
		{"an address away that is not there", `[{"op":"remove","path":"emails[type eq \"other\"]"}]`, func(*User) {}},
		{"an address away by an empty value", `[{"op":"replace","path":"emails[type eq \"home\"].value","value":""}]`,
			func(u *User) { u.Emails = u.Emails[:1] }},
		{"all addresses away", `[{"op":"remove","path":"emails"}]`, func(u *User) { u.Emails = nil }},
		{"another primary address", `[{"op":"replace","path":"emails[value eq \"a@home.example\"].primary","value":"True"}]`,
			func(u *User) { u.Emails[0], u.Emails[1] = u.Emails[1], u.Emails[0] }},
		{"another type", `[{"op":"replace","path":"emails[type eq \"home\"]","value":{"type":"other"}}]`,
			func(u *User) { u.Emails[1].Type = "other" }},
		{"several in their order", `[{"op":"replace","path":"title","value":"A"},{"op":"REPLACE","path":"title","value":"B"}]`,
			func(u *User) { u.Title = "B" }},
		{"a number for a text", `[{"op":"replace","path":"title","value":7}]`, func(u *User) { u.Title = "7" }},
		{"lines in a text", `[{"op":"replace","path":"title","value":"a\nb"}]`, func(u *User) { u.Title = "a b" }},
		{"a name of another case", `[{"OP":"replace","Path":"USERNAME","Value":"new"}]`, func(u *User) { u.Name = "new" }},
	} {
		got, err := patched(t, c.operations)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		want := ann()
		c.want(&want)
		got.formatted = ""
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.what, got, want)
		}
	}
}

func TestPatchesThatAreNoneAreRefused(t *testing.T) {
	for operations, code := range map[string]string{
		`[]`:                              CodeSyntax,
		`{}`:                              CodeSyntax,
		`["x"]`:                           CodeSyntax,
		`[{"op":"move","path":"title"}]`:  CodeSyntax,
		`[{"op":"remove"}]`:               CodeTarget,
		`[{"op":"add","path":7}]`:         CodePath,
		`[{"op":"add","path":"a b"}]`:     CodePath,
		`[{"op":"add","path":"emails["}]`: CodePath,
		`[{"op":"add","path":"emails[type eq \"work\"]x","value":"x"}]`:                      CodePath,
		`[{"op":"add","path":"title[type eq \"x\"]","value":"x"}]`:                           CodePath,
		`[{"op":"add","value":"x"}]`:                                                         CodeValue,
		`[{"op":"replace","path":"active","value":"perhaps"}]`:                               CodeValue,
		`[{"op":"replace","path":"name","value":"Ann"}]`:                                     CodeValue,
		`[{"op":"replace","path":"title","value":{"a":1}}]`:                                  CodeValue,
		`[{"op":"remove","path":"userName"}]`:                                                CodeValue,
		`[{"op":"replace","path":"title","value":"` + strings.Repeat("x", maxName+1) + `"}]`: "too_long",
	} {
		_, err := patched(t, operations)
		wantCode(t, operations, err, code)
	}
}

func TestPatchesChangeMembers(t *testing.T) {
	for _, c := range []struct{ what, operations, name, members string }{
		{"Entra's adding", `[{"op":"Add","path":"members","value":[{"$ref":null,"value":"c"}]}]`, "G", "a b c"},
		{"adding twice", `[{"op":"Add","path":"members","value":[{"value":"a"},{"value":"c"},{"value":"c"}]}]`, "G", "a b c"},
		{"Entra's removing", `[{"op":"Remove","path":"members","value":[{"$ref":null,"value":"a"}]}]`, "G", "b"},
		{"Okta's removing and adding", `[{"op":"remove","path":"members[value eq \"a\"]"},
			{"op":"add","path":"members","value":[{"value":"c","display":"c@example.com"}]}]`, "G", "b c"},
		{"removing who is not there", `[{"op":"remove","path":"members[value eq \"z\"]"}]`, "G", "a b"},
		{"removing nobody", `[{"op":"remove","path":"members","value":[]}]`, "G", "a b"},
		{"removing none that is named", `[{"op":"remove","path":"members","value":[{"id":"a"},{"value":null}]}]`, "G", "a b"},
		{"removing all and no value", `[{"op":"remove","path":"members","value":null}]`, "G", ""},
		{"removing all", `[{"op":"remove","path":"members"}]`, "G", ""},
		{"others in their place", `[{"op":"replace","path":"members","value":[{"value":"c"},{"value":"b"}]}]`, "G", "c b"},
		{"others without a path", `[{"op":"replace","value":{"members":[{"value":"c"}]}}]`, "G", "c"},
		{"nobody in their place", `[{"op":"replace","path":"members","value":[]}]`, "G", ""},
		{"Okta's new name", `[{"op":"replace","value":{"id":"7","displayName":"H"}}]`, "H", "a b"},
		{"Entra's new name", `[{"op":"Replace","path":"displayName","value":"H"}]`, "H", "a b"},
	} {
		p, err := Groups.ParsePatch(mustDecode(t, `{"Operations":`+c.operations+`}`))
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		got, err := p.PatchGroup(Group{ID: "7", Name: "G", Members: []Member{{ID: "a"}, {ID: "b"}}})
		var members []string
		for _, m := range got.Members {
			members = append(members, m.ID)
		}
		if err != nil || got.Name != c.name || strings.Join(members, " ") != c.members || got.ID != "7" {
			t.Errorf("%s: got %q with %q, %v; want %q with %q", c.what, got.Name, members, err, c.name, c.members)
		}
	}
	p, err := Groups.ParsePatch(mustDecode(t, `{"Operations":[{"op":"add","path":"members","value":{"value":"g","type":"Group"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.PatchGroup(Group{Name: "G"})
	wantCode(t, "a group in a group", err, CodeValue)
}

// FuzzPatch: nothing that is JSON makes a PATCH fail otherwise than with its errors, and what it leaves is a resource
// that reads the same again.
func FuzzPatch(f *testing.F) {
	for _, seed := range []string{
		`[{"op":"Replace","path":"active","value":"False"}]`,
		`[{"op":"replace","value":{"active":false,"emails[type eq \"work\"].value":"x"}}]`,
		`[{"op":"add","path":"emails","value":[{"value":"a","primary":true},"b",null]}]`,
		`[{"op":"remove","path":"members","value":[{"value":"a"}]}]`, `[{"op":"remove","path":"name.givenName"}]`,
		`[{"op":"add","path":"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User","value":{"department":[1]}}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, operations string) {
		var body map[string]any
		if json.Unmarshal([]byte(`{"Operations":`+operations+`}`), &body) != nil {
			return
		}
		if p, err := People.ParsePatch(body); err == nil {
			if u, err := p.PatchUser(ann()); err == nil {
				again, err := userOf(u.Object(), u)
				again.formatted, u.formatted = "", ""
				if err != nil || !reflect.DeepEqual(again, u) {
					t.Errorf("%s: got %+v (%v), want %+v", operations, again, err, u)
				}
			}
		}
		if p, err := Groups.ParsePatch(body); err == nil {
			_, _ = p.PatchGroup(Group{Name: "G", Members: []Member{{ID: "a"}, {ID: "b"}}})
		}
	})
}
