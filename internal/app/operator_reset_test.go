package app

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/offline"
	"signet/internal/seal/sealtest"
	"signet/internal/store"
	"signet/internal/store/postgrestest"
)

// credentials are what operator.json holds.
type credentials struct {
	BaseURL string `json:"base_url"`
	Key     string `json:"api_key"`
	Secret  string `json:"api_secret"`
	Note    string `json:"note"`
}

func mustReadCredentials(t *testing.T, path string) (c credentials) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// operator is the operator by these credentials.
func (w *ward) operator(c credentials) person {
	return person{w.client(c.Key, c.Secret), "operator", c.Key, c.Secret}
}

func (w *ward) wantUser(who person, what string, want int) {
	w.t.Helper()
	if got, text := w.get(who, "/user"); got != want {
		w.t.Errorf("%s: GET /user answered %d %s, want %d", what, got, text, want)
	}
}

func TestOperatorResetWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	w.sweep() // and what else runs in the background
	before := mustReadCredentials(t, w.app.OperatorFile())
	old := w.operator(before)
	second, err := old.CreateKey(t.Context(), "me", client.NewKey{Kind: client.AdministrativeKey})
	if err != nil {
		t.Fatal(err)
	}
	signedIn, err := old.CreateKey(t.Context(), "me", client.NewKey{})
	if err != nil {
		t.Fatal(err)
	}
	var account model.AccountID
	mustMaintain(t, w.app.dir, "", func(tx *store.Tx) error {
		operators, err := tx.Operators()
		if err != nil {
			return err
		}
		account = operators[0]
		return tx.SetPassword(account, store.Password{Hash: "a hash of what somebody knows"})
	})

	ended := make(chan error, 1)
	open := make(chan struct{})
	go func() { ended <- w.follow(old, open) }()
	<-open

	path, err := offline.ResetOperator(t.Context(), &config.Config{Data: w.app.dir}, "")
	if err != nil || path != w.app.OperatorFile() {
		t.Fatalf("got %q, %v, want %q", path, err, w.app.OperatorFile())
	}
	after := mustReadCredentials(t, path)
	if after.BaseURL != before.BaseURL || after.Key == before.Key || after.Secret == before.Secret ||
		len(after.Secret) < 43 {
		t.Errorf("operator.json has %+v after %+v", after, before)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("operator.json has mode %v (%v), want 0600", info.Mode(), err)
	}
	wantNoLeftovers(t, w.app.dir)
	w.pass(time.Second)
	if err := <-ended; err != nil {
		t.Errorf("the stream of the old key: %v", err)
	}
	renewed := w.operator(after)
	w.wantUser(renewed, "the new key", 200)
	if self, err := renewed.Self(t.Context()); err != nil || self.Token != account.String() {
		t.Errorf("the new key is of %v (%v), want the operator as before", self, err)
	}
	if _, err := renewed.LookupUser(t.Context(), "bob"); err != nil {
		t.Errorf("the new key opens no administrative call: %v", err)
	}
	for what, ended := range map[string]person{
		"the key": old, "a second key": {key: second.APIKey, secret: second.APISecret},
		"a third key": {key: signedIn.APIKey, secret: signedIn.APISecret},
	} {
		w.wantUser(ended, what, 401)
	}
	w.wantUser(w.alice, "somebody else's key", 200)
	mustMaintain(t, w.app.dir, "", func(tx *store.Tx) error {
		password, err := tx.Password(account)
		hash := password.Hash
		if hash != "" {
			t.Errorf("the password still opens: %q", hash)
		}
		return err
	})
}

// follow reads a stream until the server ends it. It closes open once the stream is.
func (w *ward) follow(who person, open chan<- struct{}) error {
	r, err := http.NewRequestWithContext(w.t.Context(), "GET", w.app.BaseURL()+"/v2/events", nil)
	if err != nil {
		return err
	}
	r.SetBasicAuth(who.key, who.secret)
	r.Header.Set("Accept", "text/event-stream")
	answer, err := w.http.Do(r)
	close(open)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

func TestOperatorResetWhileNoServerRuns(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	old := w.operator(mustReadCredentials(t, w.app.OperatorFile()))
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(w.app.OperatorFile()); err != nil { // lost
		t.Fatal(err)
	}
	path, err := offline.ResetOperator(t.Context(), &config.Config{Data: w.app.dir}, "")
	if err != nil {
		t.Fatal(err)
	}
	cfg := settings(t)
	cfg.Data = w.app.dir
	a, err := Open(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer mustRun(t, a)()
	w.app = a
	after := mustReadCredentials(t, path)
	if after.BaseURL != a.BaseURL() {
		t.Errorf("the start writes the base URL %q, want %q", after.BaseURL, a.BaseURL())
	}
	w.wantUser(w.operator(after), "the new key", 200)
	w.wantUser(old, "the old key", 401)
}

func TestOperatorResetOfADatabaseThatManyServersShare(t *testing.T) {
	t.Parallel()
	cfg := settings(t)
	cfg.Database = postgrestest.URL(t)
	a, err := Open(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer mustRun(t, a)()
	w := &ward{t: t, app: a, http: caller}
	old := w.operator(mustReadCredentials(t, a.OperatorFile()))
	elsewhere := filepath.Join(t.TempDir(), "data") // on a machine that ran no server
	path, err := offline.ResetOperator(t.Context(), &config.Config{Data: elsewhere, Database: cfg.Database,
		Keyring: "file:" + filepath.Join(cfg.Data, "keyring"), MasterKey: "file:" + filepath.Join(cfg.Data, "master.json")},
		"")
	if err != nil {
		t.Fatal(err)
	}
	w.wantUser(w.operator(mustReadCredentials(t, path)), "the new key", 200)
	w.wantUser(old, "the old key, which no call has used on this server", 401)
}

func TestOperatorResetKeepsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := offline.ResetOperator(t.Context(), &config.Config{Data: dir}, ""); err == nil {
		t.Error("a directory without a server's data has an operator")
	}
	cfg := settings(t)
	a, err := Open(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	before := mustReadCredentials(t, a.OperatorFile())
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, a.OperatorFile(),
		`{"base_url":"https://messages.example.com","api_key":"k","api_secret":"s","note":"mine"}`, 0o600)
	path, err := offline.ResetOperator(t.Context(), &config.Config{Data: cfg.Data}, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := mustReadCredentials(t, path); got.BaseURL != "https://messages.example.com" || got.Note != "mine" ||
		got.Key == "k" || got.Key == before.Key {
		t.Errorf("operator.json has %+v", got)
	}
}

func mustMaintain(t *testing.T, dir, database string, change func(*store.Tx) error) {
	t.Helper()
	ring := sealtest.Open(t, dir, time.Now)
	err := offline.Change(t.Context(), dir, database, func(kept *store.Store) error {
		err := content.AuthenticateExisting(t.Context(), kept, ring, func(f store.Forgery) { t.Error(f) })
		return errors.Join(err, kept.Update(t.Context(), change))
	})
	if err != nil {
		t.Fatal(err)
	}
}
