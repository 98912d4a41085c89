package api_test

import "testing"

// A password that is guessed soon is refused, whoever sets it: one of the commonest, or one that has a name or
// an address of its account in it.
func TestAPasswordThatIsGuessedSoonIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("St. Mary Ward")
	who := fields{"username": "florence", "email": "flo@example.com", "phone": "+12025550143", "first_name": "Florence",
		"last_name": "Night", "display_name": "Flo N. Night", "issue_key": true}
	create := func(password string) *answer {
		f := merged(who, fields{"password": password})
		return s.operator.post("/v2/user", f, in(org))
	}
	common := []string{"password", "PASSWORD", "12345678", "qwertyuiop", "iloveyou", "Jennifer", "trustno1", "password123",
		"signet-2026", "mySignet!", "florence1", "xFLORENCEx", "flo@example.com", "my flo@example.com", "12025550143",
		"+12025550143", "flo n. night", "FloN.Night 1", "St. Mary Ward", "st.maryward26"}
	for _, password := range common {
		create(password).wantError(400, "password_common").wantField("password")
	}
	create("a new password").want(200)
	flo := &person{s: s, t: t, name: "florence", token: s.operator.get("/v2/user/florence").reply().text("token")}
	flo.useKey(s.operator.post("/v2/user/florence/key", nil).reply())
	for _, password := range common {
		s.operator.post(flo.path("/password"), fields{"password": password}).wantError(400, "password_common")
		flo.post(flo.path("/password"), fields{"password": password, "old_password": "a new password"}).
			wantError(400, "password_common").wantField("password")
	}
	// Names of fewer than four characters are in too many words.
	bo := s.operator.post("/v2/user", fields{"username": "bo", "password": "a better bolt"}, in(org)).want(200).reply()
	s.operator.post("/v2/user/"+bo.text("token")+"/password", fields{"password": "another boat"}).want(204)
	results := s.operator.post("/v2/user/bulk", fields{"users": []fields{{"username": "carmen", "password": "carmen2026"},
		{"username": "dolores", "password": "sunshine"}, {"username": "emilia", "password": "a new password"}}}, in(org)).
		want(200).reply().at("results").list()
	for i, want := range []string{"password_common", "password_common", ""} {
		code := ""
		if results[i].has("error") {
			code = results[i].text("error", "code")
		}
		if code != want {
			t.Errorf("row %d: got %v, want %q", i, results[i], want)
		}
	}
}
