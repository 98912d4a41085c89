package api_test

import (
	"crypto/sha256"
	"encoding/base64"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// makeOperator makes an account of this name an operator, as the command line does.
func (s *server) makeOperator(username string) error {
	account := model.Account{ID: model.AccountID(randomID()), Username: username, DisplayName: username, Operator: true,
		Created: s.clock.Now()}
	key := model.Key{Key: username + "-key", Account: account.ID, Kind: model.Administrative,
		SecretHash: hashOf(username + "-secret"), PreviousHash: []byte{},
		Counter: username + "-key", Created: s.clock.Now()}
	return s.store.Update(s.t.Context(), func(tx *store.Tx) error {
		if err := tx.InsertAccount(&account, ""); err != nil {
			return err
		}
		return tx.InsertKey(&key)
	})
}

func hashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// mustOperator returns an operator that makeOperator made.
func (s *server) mustOperator(username string) *person {
	s.t.Helper()
	p := &person{s: s, t: s.t, name: username, key: username + "-key", secret: username + "-secret"}
	p.token = p.get("/v2/user").reply().text("token")
	return p
}

func TestSignInWithAPassword(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.operator.post(c.alice.path("/password"), fields{"password": "correct:horse"}).want(204)
	for _, user := range []string{"ALICE", "alice@example.com"} {
		signed := c.signIn(user, "correct:horse", "phone").reply()
		signed.at("user").wantFields(fields{"token": c.alice.token, "xmlns": "tigertext:entity:account",
			"emails": []fields{{"address": "alice@example.com", "verified": false}}})
		auth := signed.at("auth")
		if auth.text("resource") != "phone" {
			t.Errorf("auth is %s", auth)
		}
		c.alice.with(auth.text("key"), auth.text("secret")).get("/v2/user").reply().wantFields(fields{"token": c.alice.token})
	}
	unknown := c.signIn("nobody", "correct:horse", "phone").wantError(401, "credentials_invalid")
	wantSameAnswer(c.signIn("alice", "wrong", "phone").wantError(401, "credentials_invalid"), unknown)
	wantSameAnswer(c.signIn("bob", "", "phone").wantError(401, "credentials_invalid"), unknown) // has no password
	wantSameAnswer(c.signIn("me", "correct:horse", "phone").wantError(401, "credentials_invalid"), unknown)
	c.anyone().post("/v2/login", fields{}).wantError(401, "credentials_missing")
	c.anyone().post("/v2/login", fields{}, header("Authorization", "XMPP-Simple !")).want(401)
	c.anyone().post("/v2/login", fields{},
		header("Authorization", "XMPP-Simple "+base64.StdEncoding.EncodeToString([]byte("one:two")))).want(401)

	// The fifth version, at the root: user and password, or key and secret.
	byPassword := c.alice.with("alice", "correct:horse").post("/v5/login", fields{"device_id": "tablet"}).reply()
	byPassword.at("user").wantFields(fields{"token": c.alice.token})
	byKey := c.alice.post("/v5/login", fields{"device_id": "desk", "want_condensed_replays": true}).reply()
	for _, signed := range []value{byPassword, byKey} {
		c.alice.with(signed.text("auth", "key"), signed.text("auth", "secret")).get("/v2/user").want(200)
	}
	c.alice.with("alice", "wrong").post("/v5/login", fields{}).wantError(401, "credentials_invalid")
	c.alice.with(c.alice.key, "wrong").post("/v5/login", fields{}).wantError(401, "credentials_invalid")
	c.anyone().post("/v5/login", fields{}).wantError(401, "credentials_missing")
}

func TestSigningInAgainReplacesTheDevicesKey(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.operator.post(c.alice.path("/password"), fields{"password": "correct horse"}).want(204)
	sign := func(device string) *person {
		t.Helper()
		auth := c.signIn("alice", "correct horse", device).reply().at("auth")
		return c.alice.with(auth.text("key"), auth.text("secret"))
	}
	phone, tablet := sign("phone"), sign("tablet")
	again := sign("phone")
	phone.get("/v2/user").want(401)
	tablet.get("/v2/user").want(200)
	again.get("/v2/user").want(200)

	// A key of a login ends at logout, another only loses its streams.
	st := c.alice.openStream("")
	st.nextOf("client_advisory")
	other := tablet.openStream("")
	other.nextOf("client_advisory")
	c.alice.post("/v2/logout", nil).want(204)
	st.drain()
	c.alice.get("/v2/user").want(200)
	again.post("/v2/logout", fields{}).want(204)
	again.get("/v2/user").wantError(401, "credentials_invalid")
	tablet.get("/v2/user").want(200)

	// One that is not used for 90 days ends too.
	c.clock.Advance(90*24*time.Hour - time.Second)
	tablet.get("/v2/user").want(200)
	c.mustSweep() // writes when keys were used
	c.clock.Advance(90 * 24 * time.Hour)
	c.mustKeepHouse()
	tablet.get("/v2/user").want(200)
	c.clock.Advance(90*24*time.Hour + time.Millisecond)
	tablet.get("/v2/user").want(401)
	c.alice.get("/v2/user").want(200)
}

func TestPasswordOfOneselfTakesTheOldOne(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	c.alice.post("/v2/user/me/password", fields{"password": "new password"}).wantError(400,
		"old_password_required").wantField("old_password")
	// there is none
	c.alice.post("/v2/user/me/password", fields{"password": "new password", "old_password": "x"}).wantError(403,
		"old_password_wrong")
	c.operator.post(c.alice.path("/password"), fields{"password": "first password"}).want(204)
	auth := c.signIn("alice", "first password", "phone").reply().at("auth")
	phone := c.alice.with(auth.text("key"), auth.text("secret"))
	auth = c.signIn("alice", "first password", "tablet").reply().at("auth")
	tablet := c.alice.with(auth.text("key"), auth.text("secret"))

	phone.post("/v2/user/me/password", fields{"password": "next password"}).wantError(400, "old_password_required")
	phone.post("/v2/user/me/password", fields{"password": "next password", "old_password": "guess"}).wantError(403,
		"old_password_wrong")
	for _, bad := range []any{"short", "", 12345678, nil} {
		phone.post("/v2/user/me/password",
			fields{"password": bad, "old_password": "first password"}).want(400).wantField("password")
	}
	phone.post(c.alice.path("/password"), fields{"password": "next password", "old_password": "first password"}).want(204)
	phone.get("/v2/user").want(200)
	tablet.get("/v2/user").want(401) // the sign-ins of other devices have ended
	c.alice.get("/v2/user").want(200)
	c.signIn("alice", "first password", "x").want(401)
	c.signIn("alice", "next password", "x").want(200)
	// An operator has no way around it for itself, once it has a password.
	c.operator.post("/v2/user/me/password", fields{"password": "a first password"}).want(204)
	c.operator.post("/v2/user/me/password", fields{"password": "another password"}).wantError(400,
		"old_password_required")
	c.bob.post(c.alice.path("/password"), fields{"password": "next password"}).want(403)
	stranger.post(c.alice.path("/password"), fields{"password": "next password"}).wantMissing()
}
