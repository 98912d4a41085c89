package api_test

import (
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"signet/internal/model"
	"signet/internal/store"
)

// forgeries are the rows with wrong codes that a server came across.
type forgeries struct {
	mu    sync.Mutex
	found []store.Forgery
}

func (f *forgeries) note(row store.Forgery) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.found = append(f.found, row)
}

// take returns what was found since it was last called.
func (f *forgeries) take() []store.Forgery {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := f.found
	f.found = nil
	return found
}

// behind does to the database what somebody does who may write to it, and has the server
// read it anew.
func (s *server) behind(query string, args ...any) {
	s.t.Helper()
	err := s.engine.Update(s.t.Context(), func(session store.Session) error {
		n, err := session.Exec(query, args...)
		if n == 0 && err == nil {
			s.t.Errorf("%s: it changes no row", query)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.access.DropAll()
}

// id is the account's, as the database has it.
func (p *person) id() model.AccountID {
	p.t.Helper()
	id, err := uuid.Parse(p.token)
	if err != nil {
		p.t.Fatal(err)
	}
	return model.AccountID(id)
}

// mustEndedAdmin is somebody who administered the clinic, and has the key for it still.
func (c *clinic) mustEndedAdmin(username string) *person {
	c.t.Helper()
	p := c.mustCreateAdmin(c.org, username)
	c.operator.do("DELETE", p.path("/organization/"+c.org+"/roles/admin")).want(204)
	p.post("/v2/organization/"+c.org, fields{"name": "Mine"}).wantError(403, "administrative_key_required")
	return p
}

// columns of a key, but for its name, account and secret: they are another key's.
const restOfKey = `kind, previous_hash, previous_until, counter, organization, parent, login, messages_per_day,
	requests_per_second, created, expires, networks, session, proof, grants, elevated_until, elevated_with, issued_by,
	noticed, label, device, last_used, last_address, code`

// TestRowsThatNoServerWroteOpenNothing: somebody who may write to the database, and has an
// account and a key of its own, tries each way to more.
func TestRowsThatNoServerWroteOpenNothing(t *testing.T) {
	t.Parallel()
	hash := sha256.Sum256([]byte("the intruder's own"))
	const day = 24 * time.Hour

	// Each is done in a clinic with a message from alice to bob, and eve of another
	// organization; what must not open is asked for afterwards. row is what the server finds.
	for name, attack := range map[string]struct {
		row string
		try func(c *clinic, eve *person)
	}{
		"a key of somebody else is inserted": {"key forged", func(c *clinic, eve *person) {
			c.behind(`INSERT INTO keys (api_key, account, secret_hash, `+restOfKey+`) SELECT 'forged', account, ?, `+restOfKey+
				` FROM keys WHERE api_key = ?`, hash[:], c.bob.key)
			c.bob.with("forged", "the intruder's own").get("/v2/events").wantError(401, "credentials_invalid")
		}},
		"a secret is replaced": {"key BOB", func(c *clinic, eve *person) {
			c.behind(`UPDATE keys SET secret_hash = ? WHERE api_key = ?`, hash[:], c.bob.key)
			c.bob.with(c.bob.key, "the intruder's own").get("/v2/events").wantError(401, "credentials_invalid")
		}},
		"a replaced secret is brought back": {"key BOB", func(c *clinic, eve *person) {
			c.behind(`UPDATE keys SET previous_hash = ?, previous_until = ? WHERE api_key = ?`, hash[:],
				c.clock.Now().Add(day).UnixMilli(), c.bob.key)
			c.bob.with(c.bob.key, "the intruder's own").get("/v2/events").wantError(401, "credentials_invalid")
		}},
		"a key is given to another account": {"key EVE", func(c *clinic, eve *person) {
			c.behind(`UPDATE keys SET account = ? WHERE api_key = ?`, c.bob.id(), eve.key)
			eve.get("/v2/events").wantError(401, "credentials_invalid")
		}},
		"a key becomes administrative": {"key EVE", func(c *clinic, eve *person) {
			c.behind(`UPDATE keys SET kind = 1 WHERE api_key = ?`, eve.key)
			eve.get("/v2/user_lookup/"+c.bob.token).wantError(401, "credentials_invalid")
		}},
		"a key loses its networks": {"key EVE", func(c *clinic, eve *person) {
			eve.useKey(eve.post("/v2/user/me/key", fields{"allowed_networks": []string{"198.51.100.0/24"}}).reply())
			c.behind(`UPDATE keys SET networks = '' WHERE api_key = ?`, eve.key)
			eve.get("/v2/user").wantError(401, "credentials_invalid")
		}},
		"a key loses its limits": {"key EVE", func(c *clinic, eve *person) {
			c.behind(`UPDATE keys SET messages_per_day = 0 WHERE api_key = ?`, eve.key)
			eve.get("/v2/user").wantError(401, "credentials_invalid")
		}},
		"a key loses its scope": {"key EVE", func(c *clinic, eve *person) {
			home := eve.get("/v2/user/me/organization").reply().text(0, "token")
			eve.useKey(eve.post("/v2/user/me/key", fields{"organization": home}).reply())
			c.behind(`UPDATE keys SET organization = '' WHERE api_key = ?`, eve.key)
			eve.get("/v2/user").wantError(401, "credentials_invalid")
		}},
		"a key lasts longer": {"key EVE", func(c *clinic, eve *person) {
			eve.useKey(eve.post("/v2/user/me/key", fields{"expires_in": 3600}).reply())
			eve.get("/v2/user").want(200)
			c.behind(`UPDATE keys SET expires = 0 WHERE api_key = ?`, eve.key)
			eve.get("/v2/user").wantError(401, "credentials_invalid")
		}},
		"a role is inserted": {"role CLINIC ALICE admin", func(c *clinic, eve *person) {
			c.alice = c.mustEndedAdmin("former")
			c.behind(`INSERT INTO roles (organization, account, role, pending, asked, code) VALUES (?, ?, 'admin', 0, 0, ?)`,
				model.OrganizationID(c.org), c.alice.id(), make([]byte, 16))
			c.alice.post("/v2/organization/"+c.org, fields{"name": "Mine"}).wantError(403, "administrative_key_required")
		}},
		"a role that was asked for is granted": {"role CLINIC ALICE admin", func(c *clinic, eve *person) {
			c.alice = c.mustEndedAdmin("former")
			c.alice.post(c.alice.path("/organization/"+c.org+"/roles/admin"), nil).want(200)
			c.behind(`UPDATE roles SET pending = 0 WHERE organization = ? AND account = ?`, model.OrganizationID(c.org),
				c.alice.id())
			c.alice.post("/v2/organization/"+c.org, fields{"name": "Mine"}).wantError(403, "administrative_key_required")
		}},
		"a role is moved to another account": {"role CLINIC ALICE admin", func(c *clinic, eve *person) {
			c.alice = c.mustEndedAdmin("former")
			c.behind(`UPDATE roles SET account = ? WHERE organization = ? AND account = ?`, c.alice.id(),
				model.OrganizationID(c.org), c.mustCreateAdmin(c.org, "admin").id())
			c.alice.post("/v2/organization/"+c.org, fields{"name": "Mine"}).wantError(403, "administrative_key_required")
		}},
		"an account becomes an operator": {"account EVE", func(c *clinic, eve *person) {
			eve.useKey(c.operator.post(eve.path("/key"), fields{"kind": "administrative"}).reply())
			c.behind(`UPDATE accounts SET operator = 1 WHERE account = ?`, eve.id())
			eve.get("/v2/organization/"+c.org).wantError(401, "credentials_invalid")
		}},
		"an account is given another home": {"account BOB", func(c *clinic, eve *person) {
			c.behind(`UPDATE accounts SET created_by = 'another' WHERE account = ?`, c.bob.id())
			c.bob.get("/v2/events").wantError(401, "credentials_invalid")
		}},
		"a password is replaced": {"password BOB", func(c *clinic, eve *person) {
			c.operator.post(c.bob.path("/password"), fields{"password": "what bob knows"}).want(204)
			c.operator.post(eve.path("/password"), fields{"password": "what eve knows"}).want(204)
			c.signIn("eve", "what eve knows", "d").want(200)
			c.behind(`UPDATE accounts SET password = (SELECT password FROM accounts WHERE account = ?),
				password_code = (SELECT password_code FROM accounts WHERE account = ?) WHERE account = ?`, eve.id(), eve.id(),
				c.bob.id())
			c.signIn("bob", "what eve knows", "d").wantError(401, "credentials_invalid")
		}},
		"a membership is inserted": {"membership CLINIC EVE", func(c *clinic, eve *person) {
			c.behind(`INSERT INTO memberships (organization, account, title, department, joined, since, code)
				SELECT organization, ?, title, department, joined, 0, code FROM memberships
				WHERE organization = ? AND account = ?`, eve.id(), model.OrganizationID(c.org), c.bob.id())
			eve.get("/v2/user/"+c.bob.token).wantError(404, "not_found")
			eve.post("/v2/message", fields{"recipient": c.bob.token, "body": "hello"}).wantError(404, "not_found")
			c.bob.post("/v2/message", fields{"recipient": eve.token, "body": "hello"}).wantError(404, "not_found")
		}},
		"an organization's wish for an account is inserted": {"join_request CLINIC EVE",
			func(c *clinic, eve *person) {
				c.behind(`INSERT INTO join_requests (organization, account, title, department, created, code)
					VALUES (?, ?, '', '', 1, ?)`, model.OrganizationID(c.org), eve.id(), make([]byte, 16))
				eve.post("/v2/user/me/organization", fields{"organization": c.org}).wantError(403, "administrative_key_required")
				eve.get("/v2/user/"+c.bob.token).wantError(404, "not_found")
			}},
		"a membership is moved to another organization": {"membership CLINIC EVE",
			func(c *clinic, eve *person) {
				c.behind(`UPDATE memberships SET organization = ? WHERE account = ?`, model.OrganizationID(c.org), eve.id())
				eve.get("/v2/user/"+c.bob.token).wantError(404, "not_found")
				eve.post("/v2/message", fields{"recipient": c.bob.token, "body": "hello"}).wantError(404, "not_found")
			}},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			c := startClinic(t)
			eve := c.mustCreateStranger("eve")
			c.alice.post("/v2/message", fields{"recipient": c.bob.token, "body": "patient 4711"}).want(204)
			attack.try(&c, eve)

			row := strings.NewReplacer("CLINIC", c.org, "ALICE", c.alice.id().String(), "key BOB", "key "+c.bob.key,
				"BOB", c.bob.id().String(), "key EVE", "key "+eve.key, "EVE", eve.id().String()).Replace(attack.row)
			want := func(where string, found []store.Forgery) {
				if !slices.ContainsFunc(found, func(f store.Forgery) bool { return f.String() == row }) {
					t.Errorf("%s: %v; want %s", where, found, row)
				}
			}
			want("the server found", c.forged.take())
			var all []store.Forgery
			n, err := c.store.Forgeries(t.Context(), func(f store.Forgery) { all = append(all, f) })
			if err != nil || n < 10 || len(all) != 1 {
				t.Errorf("of %d rows these were not written by a server: %v, %v", n, all, err)
			}
			want("a look at all rows found", all)
		})
	}
}
