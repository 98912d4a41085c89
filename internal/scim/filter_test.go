package scim

import (
	"slices"
	"strings"
	"testing"
)

func TestFiltersFindPeople(t *testing.T) {
	for filter, want := range map[string]bool{
		``:                                   true,
		`userName eq "ann.ames@EXAMPLE.com"`: true,
		`USERNAME Eq "ann.ames@example.com"`: true,
		`urn:ietf:params:scim:schemas:core:2.0:User:userName sw "ann"`: true,
		`userName eq "ann"`:       false,
		`userName ne "ann"`:       true,
		`externalId eq "E-1"`:     true,
		`externalId eq "e-1"`:     false, // its case counts
		`id eq "0198"`:            true,
		`name.familyName co "me"`: true,
		`name.familyName ew "es" and name.givenName sw "A"`:                      true,
		`name.familyName eq "x" or name.givenName eq "ann"`:                      true,
		`name.familyName eq "x" or name.givenName eq "ann" and active eq false`:  false, // and binds more than or
		`(name.familyName eq "x" or name.givenName eq "ann") and active eq true`: true,
		`not (active eq true)`:                              false,
		`not(active eq "False")`:                            true,
		`active eq "True"`:                                  true,
		`active ne false`:                                   true,
		`active pr`:                                         true,
		`title pr and not (nickName pr)`:                    true,
		`nickName eq "x"`:                                   false, // it is not kept
		`emails eq "ann@example.com"`:                       true,
		`emails.value eq "A@home.example"`:                  true,
		`emails.type eq "other"`:                            false,
		`emails[type eq "work"]`:                            true,
		`emails[type eq "work" and value co "home"]`:        false, // both of one address
		`emails[type eq "work"].value eq "ann@example.com"`: true,
		`emails[type eq "home"].value eq "ann@example.com"`: false,
		`emails[primary eq true].value sw "ann"`:            true,
		`emails[not (type eq "work")]`:                      true,
		`emails pr and phoneNumbers[type eq "fax"]`:         false,
		`urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "cardiology"`: true,
		`urn:ietf:params:scim:schemas:extension:other:2.0:User:thing eq "x"`:                    false,
		`meta.created gt "2026-01-01T00:00:00Z"`:                                                false, // it has none
		`title eq null`:                                                                         false,
		`title ne null`:                                                                         true,
		`nickName eq null`:                                                                      true,
		`title gt "M" and title lt "O" and title ge "nurse" and title le "NURSE"`:               true,
	} {
		f, err := People.ParseFilter(filter)
		if err != nil {
			t.Errorf("%s: %v", filter, err)
			continue
		}
		u := ann()
		if got := u.Matches(f); got != want {
			t.Errorf("%s: got %t, want %t", filter, got, want)
		}
	}
}

func TestFiltersThatAreNoneAreRefused(t *testing.T) {
	for _, filter := range []string{
		`userName`, `userName eq`, `userName is "x"`, `userName eq x`, `userName eq "x`, `eq "x"`, `"x" eq userName`,
		`userName eq "x" and`, `userName eq "x" userName eq "y"`, `(userName eq "x"`, `userName eq "x")`, `not`,
		`emails[type eq "work"`, `emails[type eq "work"]]`, `emails[emails[type eq "x"]]`, `userName[type eq "x"]`,
		`active gt true`, `active eq "perhaps"`, `user name eq "x"`, `us/er eq "x"`, `userName eq "\x"`,
		strings.Repeat("(", maxNested+1) + `userName pr` + strings.Repeat(")", maxNested+1),
		strings.Repeat(`userName pr and `, maxTerms) + `userName pr`,
		`userName eq "` + strings.Repeat("x", maxFilter) + `"`,
	} {
		_, err := People.ParseFilter(filter)
		wantCode(t, filter, err, CodeFilter)
	}
}

func TestFiltersPinWhatAnIndexCanFind(t *testing.T) {
	for filter, want := range map[string][]Pin{
		`userName eq "a"`:                             {{"userName", "a"}},
		`externalId eq "a" and active eq true`:        {{"externalId", "a"}},
		`active eq true and (id eq "a" and title pr)`: {{"id", "a"}},
		`userName eq "a" or userName eq "b"`:          nil,
		`not (userName eq "a")`:                       nil,
		`userName sw "a"`:                             nil,
		`emails eq "a"`:                               {{"emails.value", "a"}},
		`emails[type eq "work"].value eq "a"`:         {{"emails.type", "work"}, {"emails.value", "a"}},
		`emails[type eq "work" and value eq "a"]`:     {{"emails.type", "work"}, {"emails.value", "a"}},
		`nickName eq "a"`:                             nil,
	} {
		f, err := People.ParseFilter(filter)
		if err != nil {
			t.Fatalf("%s: %v", filter, err)
		}
		if got := f.Pins(); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", filter, got, want)
		}
	}
	f, err := Groups.ParseFilter(`members[value eq "a"]`)
	if got := f.Pins(); err != nil || !slices.Equal(got, []Pin{{"members.value", "a"}}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestWhoIsNotKeptYetIsFoundByEachName(t *testing.T) {
	u := ann()
	u.OtherNames = []string{"aames", "ann@example.com"}
	for filter, want := range map[string]bool{
		`userName eq "AAMES"`: true, `userName eq "ann@example.com" and active eq true`: true, `userName eq "other"`: false,
	} {
		f, err := People.ParseFilter(filter)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Matches(f); got != want {
			t.Errorf("%s: got %t, want %t", filter, got, want)
		}
	}
}

func TestFiltersFindGroups(t *testing.T) {
	g := Group{ID: "7", Name: "Ward 3", ExternalID: "x", Members: []Member{{ID: "a"}, {ID: "b"}}}
	for filter, want := range map[string]bool{
		`displayName eq "ward 3"`: true, `externalId eq "x"`: true, `members eq "a"`: true, `members.value eq "c"`: false,
		`members[value eq "b"]`: true, `id eq "7" and members[value eq "a"]`: true, `members pr`: true,
	} {
		f, err := Groups.ParseFilter(filter)
		if err != nil {
			t.Fatalf("%s: %v", filter, err)
		}
		if got := g.Matches(f); got != want {
			t.Errorf("%s: got %t, want %t", filter, got, want)
		}
	}
}

// FuzzParseFilter: no text makes the parser fail otherwise than with its error, and what it reads can be asked.
func FuzzParseFilter(f *testing.F) {
	for _, seed := range []string{
		`userName eq "test.user@okta.local"`, `emails[type eq "work"].value eq "a@example.com"`,
		`id eq "3" and members[value eq "7"]`, `not (a pr) or (b.c co "\"d\"")`, `meta.created ge "2026-01-01T00:00:00Z"`,
		`urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq null`, `active eq "False"`, "((((", `a[b[c`,
	} {
		f.Add(seed)
	}
	u, g := ann(), Group{ID: "7", Name: "Ward 3", Members: []Member{{ID: "a"}}}
	f.Fuzz(func(t *testing.T, filter string) {
		if read, err := People.ParseFilter(filter); err != nil {
			wantCode(t, filter, err, CodeFilter)
		} else {
			u.Matches(read)
			read.Pins()
		}
		if read, err := Groups.ParseFilter(filter); err == nil {
			g.Matches(read)
		}
	})
}
