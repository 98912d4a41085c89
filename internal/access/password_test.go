package access

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/netip"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"golang.org/x/crypto/argon2"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
)

// passwordFixture is a service with two accounts, of which one has a password,
// and a count of the hashes that it computes: the one thing about a sign-in that
// takes long enough to be told from outside.
type passwordFixture struct {
	*fixture
	alice, bob model.AccountID
	computed   atomic.Int64
}

const rightPassword = "correct horse battery"

func newPasswordFixture(t *testing.T) *passwordFixture {
	t.Helper()
	f := &passwordFixture{fixture: newFixture(t)}
	f.control.derive = func(password, salt []byte, _, _ uint32, _ uint8, keyLen uint32) []byte {
		f.computed.Add(1)
		mac := hmac.New(sha256.New, salt) // argon2 itself would take most of the test's time
		mac.Write(password)
		return mac.Sum(nil)[:keyLen]
	}
	hash, err := f.control.HashPassword(t.Context(), rightPassword)
	if err != nil {
		t.Fatal(err)
	}
	f.alice, f.bob = f.id(), f.id()
	f.mustUpdate(func(tx *store.Tx) error {
		alice := model.Account{ID: f.alice, Username: "alice", DisplayName: "Alice",
			Emails: []model.Email{{Address: "alice@example.com"}}, Created: f.now}
		if err := tx.InsertAccount(&alice, hash); err != nil {
			return err
		}
		return tx.InsertAccount(&model.Account{ID: f.bob, Username: "bob", DisplayName: "Bob", Created: f.now}, "")
	})
	return f
}

// computes checks how many hashes something costs.
func (f *passwordFixture) computes(what string, want int64, do func() error) error {
	f.t.Helper()
	before := f.computed.Load()
	err := do()
	if got := f.computed.Load() - before; got != want {
		f.t.Errorf("%s computes %d hashes, want %d", what, got, want)
	}
	return err
}

// TestSignInComputesOneHashWhoeverIsNamed: a user that does not exist, or has no
// password, costs what a wrong password costs, so that the time tells nothing.
func TestSignInComputesOneHashWhoeverIsNamed(t *testing.T) {
	t.Parallel()
	f := newPasswordFixture(t)
	for _, attempt := range []struct {
		what, user, password string
		right                bool
	}{
		{"the right password", "alice", rightPassword, true},
		{"the right password and the e-mail", "ALICE@example.com", rightPassword, true},
		{"the right password and the token", f.alice.String(), rightPassword, true},
		{"a wrong password", "alice", "wrong", false},
		{"an empty password", "alice", "", false},
		{"an account without a password", "bob", rightPassword, false},
		{"an account without a password, and none given", "bob", "", false},
		{"an unknown username", "nobody", rightPassword, false},
		{"an unknown e-mail", "nobody@example.com", rightPassword, false},
		{"an unknown phone", "+14155550199", rightPassword, false},
		{"an unknown token", model.AccountID(f.id()).String(), rightPassword, false},
		{"nobody at all", "", rightPassword, false},
		{"oneself, who is nobody yet", "me", rightPassword, false},
	} {
		err := f.computes(attempt.what, 1, func() error {
			_, err := f.control.CheckPassword(t.Context(), attempt.user, attempt.password)
			return err
		})
		switch {
		case attempt.right && err != nil:
			t.Errorf("%s: %v", attempt.what, err)
		case !attempt.right && !errors.Is(err, WrongCredentials()):
			t.Errorf("%s: got %v, want %v", attempt.what, err, WrongCredentials())
		}
	}
}

// Of a password only the length matters, and it opens as it was given: a case, a blank
// or an accent that differs is another one.
func TestPasswordsOfAnyCharacters(t *testing.T) {
	t.Parallel()
	f := newPasswordFixture(t)
	for password, valid := range map[string]bool{
		"": false, "1234567": false, "ééééééé": false, "        ": true, "aaaaaaaa": true, "ABCDEFGH": true,
		"\x00:%\n\"'{}": true, "Ünïcödé!": true, strings.Repeat("a", 64): true, strings.Repeat("a", 1024): true,
		strings.Repeat("a", 1025): false,
	} {
		if err := ValidPassword(password); (err == nil) != valid {
			t.Errorf("%.20q (%d bytes): %v", password, len(password), err)
		}
	}
	given := " Pässword of " + strings.Repeat("x", 64) + " "
	hash, err := f.control.HashPassword(t.Context(), given)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=32768,t=2,p=1$") {
		t.Errorf("the hash is %s", hash)
	}
	for _, other := range []string{given, strings.TrimSpace(given), strings.ToLower(given), given[:len(given)-1],
		strings.Replace(given, "ä", "a\u0308", 1)} {
		if got, err := f.control.verifyPassword(t.Context(), hash, other); err != nil || got != (other == given) {
			t.Errorf("%q opens what %q was set for: %v, %v", other, given, got, err)
		}
	}
}

// A hash is compared at the cost that it names, not at that of new ones; one that names more
// than a server can spare, or that is none, opens nothing.
func TestAPasswordIsComparedAtTheCostOfItsHash(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const password = "correct horse battery"
	salt := []byte("sixteen of bytes")
	for _, c := range []struct {
		scheme, cost string
		memory, time uint32
		threads      uint8
		readable     bool
	}{
		{"argon2id$v=19", "m=32768,t=2,p=1", 32768, 2, 1, true},
		{"argon2id$v=19", "m=19456,t=1,p=1", 19456, 1, 1, true},
		{"argon2id$v=19", "m=64,t=3,p=4", 64, 3, 4, true},
		{"argon2id$v=19", "m=65537,t=1,p=1", 8, 1, 1, false},
		{"argon2id$v=19", "m=64,t=5,p=1", 64, 5, 1, false},
		{"argon2id$v=19", "m=64,t=0,p=1", 64, 1, 1, false},
		{"argon2id$v=19", "m=64,t=1,p=0", 64, 1, 1, false},
		{"argon2id$v=19", "m=64,t=1,p=5", 64, 1, 5, false},
		{"argon2id$v=19", "m=64,t=1", 64, 1, 1, false},
		{"argon2id$v=16", "m=64,t=1,p=1", 64, 1, 1, false},
		{"argon2i$v=19", "m=64,t=1,p=1", 64, 1, 1, false},
	} {
		key := argon2.IDKey([]byte(password), salt, c.time, c.memory, c.threads, argonKey)
		encode := base64.RawStdEncoding.EncodeToString
		hash := "$" + c.scheme + "$" + c.cost + "$" + encode(salt) + "$" + encode(key)
		opens, err := f.control.verifyPassword(t.Context(), hash, password)
		if opens != c.readable || (err == nil) != c.readable {
			t.Errorf("%s$%s: the right password opens: %t, %v", c.scheme, c.cost, opens, err)
		}
		if opens, err := f.control.verifyPassword(t.Context(), hash, password+"."); opens || (err == nil) != c.readable {
			t.Errorf("%s$%s: a wrong password opens: %t, %v", c.scheme, c.cost, opens, err)
		}
	}
	opens, err := f.control.verifyPassword(t.Context(), "$argon2id$v=19$m=64,t=1,p=1$c2FsdA$", "")
	if opens || err == nil {
		t.Errorf("a hash without a key opens: %t, %v", opens, err)
	}
}

// TestProvingThePasswordComputesOneHash: nor does it tell whether the caller's own
// account has a password.
func TestProvingThePasswordComputesOneHash(t *testing.T) {
	t.Parallel()
	f := newPasswordFixture(t)
	for account, name := range map[model.AccountID]string{f.alice: "with a password", f.bob: "without a password"} {
		actor := &model.Actor{Account: account, Key: model.Key{Key: "k", Account: account}}
		if err := f.computes("the old password of an account "+name, 1, func() error {
			return f.control.SetPassword(t.Context(), actor, "me", "wrong", "another password", "")
		}); !IsWrongPassword(err) {
			t.Errorf("an account %s: got %v", name, err)
		}
		if err := f.computes("the password for an administrative key of an account "+name, 1, func() error {
			_, err := f.control.IssueKey(t.Context(), actor,
				IssueKeyCommand{Account: "me", Kind: model.Administrative, Password: "wrong"})
			return err
		}); !IsWrongPassword(err) {
			t.Errorf("an account %s: got %v", name, err)
		}
	}
}

// TestFewPasswordsWait: of a flood from any number of addresses all but some are refused
// at once, and one core is left to the others.
func TestFewPasswordsWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		finish := make(chan struct{})
		s := New(Options{Hub: live.NewHub(0)})
		if places := cap(s.passwords.places); places > max(runtime.GOMAXPROCS(0)-1, 1) {
			t.Errorf("%d hashes are computed at a time on %d processors", places, runtime.GOMAXPROCS(0))
		}
		s.derive = func(_, _ []byte, _, _ uint32, _ uint8, keyLen uint32) []byte {
			<-finish
			return make([]byte, keyLen)
		}
		const flood = 1000
		done := make(chan error, flood)
		for range flood {
			go func() {
				_, err := s.verifyPassword(t.Context(), "", "x")
				done <- err
			}()
		}
		synctest.Wait()
		close(finish)
		served := 0
		for range flood {
			err := <-done
			if told, ok := errors.AsType[*model.Error](err); ok && told.Kind == model.Unavailable &&
				told.Code == CodeTooManyPasswords && told.RetryAfter > 0 {
				continue
			}
			if err != nil {
				t.Error(err)
			}
			served++
		}
		if most := mostPasswords + cap(s.passwords.places); served < mostPasswords || served > most {
			t.Errorf("%d of %d were served, want %d to %d", served, flood, mostPasswords, most)
		}
		if _, err := s.verifyPassword(t.Context(), "", "x"); err != nil {
			t.Errorf("after the flood: %v", err)
		}
	})
}

// TestAtMostTwoHashesAreComputedAtATime: each takes 32 MiB and a core, and anybody
// can ask for one.
func TestAtMostTwoHashesAreComputedAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int64
		finish := make(chan struct{})
		s := New(Options{Hub: live.NewHub(0)})
		s.passwords.places = make(chan struct{}, 2)
		s.derive = func(_, _ []byte, _, _ uint32, _ uint8, keyLen uint32) []byte {
			running.Add(1)
			defer running.Add(-1)
			<-finish
			return make([]byte, keyLen)
		}
		done := make(chan error, 5)
		verify := func(ctx context.Context) {
			_, err := s.verifyPassword(ctx, "", "x")
			done <- err
		}
		for range 4 {
			go verify(t.Context())
		}
		waiting, leave := context.WithCancel(t.Context())
		go verify(waiting)
		synctest.Wait()
		if n := running.Load(); n != 2 {
			t.Errorf("%d hashes are computed at a time, want 2", n)
		}
		// Who gives up does not wait for its turn.
		leave()
		synctest.Wait()
		close(finish)
		left := 0
		for range 5 {
			if err := <-done; errors.Is(err, context.Canceled) {
				left++
			} else if err != nil {
				t.Error(err)
			}
		}
		if left > 1 {
			t.Errorf("%d gave up, and one was told to", left)
		}
	})
}

// While a password is hashed somebody else may set another one: what was compared before proves nothing then.
func TestAPasswordThatWasReplacedProvesNothing(t *testing.T) {
	t.Parallel()
	for name, prove := range map[string]func(*passwordFixture, *model.Actor) error{
		"a password": func(f *passwordFixture, alice *model.Actor) error {
			return f.control.SetPassword(t.Context(), alice, "me", rightPassword, "another password", "")
		},
		"an administrative key": func(f *passwordFixture, alice *model.Actor) error {
			_, err := f.control.IssueKey(t.Context(), alice,
				IssueKeyCommand{Account: "me", Kind: model.Administrative, Password: rightPassword})
			return err
		},
	} {
		f := newPasswordFixture(t)
		secret, hash := newSecret()
		f.mustUpdate(func(tx *store.Tx) error {
			return tx.InsertKey(&model.Key{Account: f.alice, Key: "k", SecretHash: hash, PreviousHash: []byte{}, Counter: "k",
				Created: f.now})
		})
		alice, err := f.control.Authenticate(t.Context(), "k", secret, netip.Addr{})
		if err != nil {
			t.Fatal(err)
		}
		derive, replaced := f.control.derive, store.Password{Hash: "$argon2id$of$somebody$else"}
		f.control.derive = func(password, salt []byte, time, memory uint32, threads uint8, keyLen uint32) []byte {
			f.mustUpdate(func(tx *store.Tx) error { return tx.SetPassword(f.alice, replaced) })
			return derive(password, salt, time, memory, threads, keyLen)
		}
		if err := prove(f, alice); !IsWrongPassword(err) {
			t.Errorf("%s: got %v", name, err)
		}
		err = f.store.View(t.Context(), func(tx *store.Tx) error {
			left, err := tx.Password(f.alice)
			if left != replaced {
				t.Errorf("after %s the password is %v", name, left)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
