package scim

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestPeopleAreReadAsDirectoriesWriteThem(t *testing.T) {
	for _, c := range []struct {
		what, body string
		want       User
	}{
		{"Entra", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User","urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
			"externalId":"0a21f0f2","userName":"Test_User","active":true,"emails":[{"primary":true,"type":"work","value":"t@example.com"}],
			"meta":{"resourceType":"User"},"name":{"formatted":"Given Family","familyName":"Family","givenName":"Given"},"roles":[],
			"addresses":null}`,
			User{ExternalID: "0a21f0f2", Name: "Test_User", Active: true, Emails: []Address{{"t@example.com", "work"}},
				GivenName: "Given", FamilyName: "Family", DisplayName: "Given Family"}},
		{"Okta", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"test.user@okta.local",
			"name":{"givenName":"Test","familyName":"User","middleName":""},"emails":[{"primary":true,"value":"test.user@okta.local",
			"type":"work"}],"displayName":"Test User","locale":"en-US","externalId":"00ujl","groups":[],"password":"1mz050nq",
			"active":true}`,
			User{ExternalID: "00ujl", Name: "test.user@okta.local", Active: true,
				Emails:    []Address{{"test.user@okta.local", "work"}},
				GivenName: "Test", FamilyName: "User", DisplayName: "Test User"}},
		{"the least", `{"userName":"x"}`, User{Name: "x", Active: true}},
		{"inactive from the start", `{"username":"x","ACTIVE":"false"}`, User{Name: "x"}},
		{"plain addresses", `{"userName":"x","emails":"a@example.com","phoneNumbers":[{"value":"1","type":"work"},"2","1"]}`,
			User{Name: "x", Active: true, Emails: []Address{{Value: "a@example.com"}},
				Phones: []Address{{"1", "work"}, {Value: "2"}}}},
	} {
		got, err := ReadUser(mustDecode(t, c.body))
		got.formatted = ""
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v, %v\nwant %+v", c.what, got, err, c.want)
		}
	}
	for what, body := range map[string]string{
		"without a name": `{"displayName":"x"}`, "with an object as name": `{"userName":{"a":1}}`,
	} {
		_, err := ReadUser(mustDecode(t, body))
		wantCode(t, what, err, CodeValue)
	}
}

func TestAReplacementSaysNothingOfWhatItLacks(t *testing.T) {
	was := ann()
	was.Active = false
	got, err := ReplaceUser(mustDecode(t, `{"id":"9","userName":"new","title":null}`))(was)
	if err != nil || got.Active || got.ID != was.ID || got.Name != "new" || got.Title != "" || got.Emails != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestResourcesShowWhatIsAskedFor(t *testing.T) {
	u := ann()
	for _, c := range []struct{ attributes, excluded, want string }{
		{"userName", "", `{"id":"0198","schemas":["` + UserSchema + `","` + EnterpriseSchema + `"],"userName":"Ann.Ames@example.com"}`},
		{"NAME.familyName,emails.value,x", "", `{"emails":[{"value":"ann@example.com"},{"value":"a@home.example"}],"id":"0198",` +
			`"name":{"familyName":"Ames"},"schemas":["` + UserSchema + `","` + EnterpriseSchema + `"]}`},
		{EnterpriseSchema + ":department", "", `{"id":"0198","schemas":["` + UserSchema + `","` + EnterpriseSchema + `"],"` +
			EnterpriseSchema + `":{"department":"Cardiology"}}`},
		{"", "id,schemas,meta,emails,phoneNumbers,name.formatted,name.givenName,active,title,displayName,externalId,userName",
			`{"id":"0198","name":{"familyName":"Ames"},"schemas":["` + UserSchema + `","` + EnterpriseSchema + `"],"` +
				EnterpriseSchema + `":{"department":"Cardiology"}}`},
	} {
		shown := People.ReadShown(c.attributes, c.excluded)
		got, err := json.Marshal(shown.Of(u.Object()))
		if err != nil || string(got) != c.want {
			t.Errorf("%q without %q:\n got %s\nwant %s", c.attributes, c.excluded, got, c.want)
		}
	}
	if s := Groups.ReadShown("", "members"); !s.Hides("members") || s.Hides("displayName") {
		t.Error("members are not hidden, or the name is")
	}
	if s := Groups.ReadShown("displayName", ""); !s.Hides("members") || s.Hides("displayName") {
		t.Error("members are not hidden, or the name is")
	}
}

func TestVersionsChangeWithWhatAResourceSays(t *testing.T) {
	u := ann()
	first := Version(u.Object())
	if again := Version(u.Object()); again != first {
		t.Errorf("got %s and %s for the same", first, again)
	}
	u.Active = false
	second := Version(u.Object())
	if second == first {
		t.Error("it stays the same")
	}
	for header, want := range map[string]bool{first: true, "*": true, second + ", " + first: true, second: false,
		first[2:]: true, `"x"`: false} {
		if got := Names(header, first); got != want {
			t.Errorf("%s: got %t, want %t", header, got, want)
		}
	}
	wantCode(t, "another version", WantVersion(first, second), CodePrecondition)
	wantCode(t, "no version", WantVersion("", second), "")
}

func TestSchemasDescribeEveryAttribute(t *testing.T) {
	all := Schemas("https://signet.example/scim/v2")
	text, err := json.Marshal(all)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d schemas, %v", len(all), err)
	}
	var read []struct {
		ID         string
		Attributes []struct{ Name, Type, Mutability, Returned, Uniqueness string }
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	for i, k := range [][]attribute{People.attributes[:7], People.extended, Groups.attributes[:2]} {
		if got := len(read[i].Attributes); got < len(k) {
			t.Errorf("%s: %d attributes, want %d or more", read[i].ID, got, len(k))
		}
		for _, a := range read[i].Attributes {
			if a.Name == "" || a.Type == "" || a.Mutability == "" || a.Returned == "" || a.Uniqueness == "" {
				t.Errorf("%s: %+v lacks something", read[i].ID, a)
			}
		}
	}
}
