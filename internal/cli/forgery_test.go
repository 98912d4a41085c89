package cli

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// guarded is an installation with rows of each kind that carries a code.
type guarded struct {
	t                       *testing.T
	server                  *server
	data, database, keyring string
	organization            string
	key, secret             string // of ann
	id                      map[string]string
}

// mustGuard starts a server with ann, who administers the clinic, ben, who does not, and
// an operator. Both have a password.
func mustGuard(t *testing.T, database string) *guarded {
	t.Helper()
	g := &guarded{t: t, data: filepath.Join(t.TempDir(), "data"), database: database, id: map[string]string{}}
	g.server = mustServe(t, nil, g.settings("--listen", "127.0.0.1:0")...)
	env := []string{"SIGNET_DATA=" + g.data}
	g.organization = strings.TrimSpace(mustRun(t, env, "org", "create", "Clinic"))
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("a word of nine letters"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ann", "ben"} {
		mustRun(t, env, "user", "create", "--org", g.organization, "--username", name, "--password-file", password)
		shown := mustRun(t, env, "user", "show", name, "--json")
		g.id[name] = regexp.MustCompile(`"token":\s*"([0-9a-f-]{36})"`).FindStringSubmatch(shown)[1]
	}
	mustRun(t, env, "roles", "grant", "ann", "admin", "--org", g.organization)
	made := mustRun(t, env, "key", "create", "ann", "--json")
	g.key = regexp.MustCompile(`"api_key":\s*"([^"]+)"`).FindStringSubmatch(made)[1]
	g.secret = regexp.MustCompile(`"api_secret":\s*"([^"]+)"`).FindStringSubmatch(made)[1]
	return g
}

// settings adds to a command line where everything is.
func (g *guarded) settings(args ...string) []string {
	args = append(args, "--data", g.data)
	if g.database != "" {
		args = append(args, "--database", g.database)
	}
	if g.keyring != "" {
		args = append(args, "--keyring", "file:"+g.keyring)
	}
	return args
}

// wantGenuine checks that both verifications take all rows for a server's, and that there
// are as many as there were.
func (g *guarded) wantGenuine(when, rows string) (found string) {
	g.t.Helper()
	said := mustRun(g.t, nil, g.settings("keys", "verify")...)
	counted := regexp.MustCompile(`(?m)^(\d+) rows that give access were written by a server$`).FindStringSubmatch(said)
	if counted == nil || rows != "" && counted[1] != rows {
		g.t.Fatalf("%s: keys verify says %q, want %s rows", when, said, rows)
	}
	if said := mustRun(g.t, nil, g.settings("audit", "verify")...); !strings.Contains(said,
		counted[1]+" rows that give access, all written by a server.\n") {
		g.t.Errorf("%s: audit verify says %q, want %s rows", when, said, counted[1])
	}
	return counted[1]
}

// wantServed starts a server, which lets ann in with the key of before, and ends it.
func (g *guarded) wantServed(when string) {
	g.t.Helper()
	s := mustServe(g.t, nil, g.settings("--listen", "127.0.0.1:0")...)
	url := mustReadOperator(g.t, g.data).Base_URL
	said := mustRun(g.t, []string{"SIGNET_URL=" + url, "SIGNET_API_KEY=" + g.key, "SIGNET_API_SECRET=" + g.secret}, "user",
		"show")
	if !strings.Contains(said, "ann") {
		g.t.Errorf("%s: the server shows %q to ann", when, said)
	}
	if code := s.stop(); code != exitDone {
		g.t.Errorf("%s: the server ended with %d", when, code)
	}
}

// mustCopy copies files from one data directory to another.
func mustCopy(t *testing.T, from, to string, names ...string) {
	t.Helper()
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestRowsKeepTheirCodes: whatever copies an installation, moves it or gives it other keys
// leaves every row one that a server wrote.
func TestRowsKeepTheirCodes(t *testing.T) {
	testenv.Long(t)
	g := mustGuard(t, "")
	rows := g.wantGenuine("beside the server", "")
	mustRun(t, nil, g.settings("keys", "rotate")...)
	g.wantGenuine("after a rotation beside the server", rows)
	mustRun(t, nil, g.settings("keys", "rotate", "--prepare")...)
	mustRun(t, nil, g.settings("keys", "rotate")...)
	g.wantGenuine("after a rotation that was prepared", rows)
	backup := filepath.Join(t.TempDir(), "backup.tar")
	mustRun(t, nil, g.settings("backup", backup)...)
	g.server.stop()
	g.wantServed("after rotations")

	restored := *g
	restored.data = filepath.Join(t.TempDir(), "data")
	mustRun(t, nil, restored.settings("restore", backup)...)
	mustCopy(t, g.data, restored.data, "operator.json", "audit.key", "keyring", "master.json")
	restored.keyring = filepath.Join(restored.data, "keyring")
	code, _, said := run(t, nil, restored.settings("adopt")...)
	_, confirm, found := strings.Cut(strings.TrimSpace(said), "--confirm=")
	if code != exitWrong || !found {
		t.Fatalf("adopt ended with %d and said %q", code, said)
	}
	mustRun(t, nil, restored.settings("adopt", "--confirm="+confirm)...)
	restored.wantGenuine("restored", rows)
	restored.wantServed("restored")
	restored.wantGenuine("restored and served", rows)

	moved := *g
	moved.database = postgrestest.URL(t)
	mustRun(t, nil, "migrate", "--from", g.data, "--to", moved.database)
	moved.wantGenuine("moved to PostgreSQL", rows)
	moved.wantServed("moved to PostgreSQL")
	kept := t.TempDir()
	copied := filepath.Join(kept, "keyring")
	mustRun(t, nil, moved.settings("keys", "export", copied)...)
	mustCopy(t, g.data, kept, "master.json")
	mustRun(t, nil, moved.settings("keys", "rotate")...)
	moved.wantGenuine("rotated on PostgreSQL", rows)

	// A ring without the key of the codes takes it over from a copy of before the rotation.
	ring := filepath.Join(g.data, "keyring")
	text, err := os.ReadFile(ring)
	if err != nil {
		t.Fatal(err)
	}
	header, _, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(ring, []byte(header+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, said, stderr := run(t, nil, moved.settings("keys", "verify")...)
	if code != exitFailed || !strings.Contains(said, "which were not checked") {
		t.Errorf("with a ring that lost its keys, keys verify ended with %d and said %q, %q", code, said, stderr)
	}
	mustRun(t, nil, moved.settings("keys", "import", copied, "--copy-master-key",
		"file:"+filepath.Join(kept, "master.json"))...)
	moved.wantGenuine("with keys from a copy", rows)
	moved.wantServed("with keys from a copy")
}

// TestForgedRowsAreNamed: whoever writes to the database behind the server's back is found
// by both verifications, which name the row and tell no secret.
func TestForgedRowsAreNamed(t *testing.T) {
	testenv.Long(t)
	for engine, database := range map[string]func(postgrestest.TB) string{
		"sqlite": func(postgrestest.TB) string { return "" }, "postgres": postgrestest.URL} {
		t.Run(engine, func(t *testing.T) {
			g := mustGuard(t, database(t))
			rows := g.wantGenuine("beside the server", "")
			g.server.stop()
			blob := func(id string) string { return "x'" + strings.ReplaceAll(id, "-", "") + "'" }
			ann, ben, clinic := blob(g.id["ann"]), blob(g.id["ben"]), "'"+g.organization+"'"
			hash := strings.Repeat("ab", 32)
			for name, forgery := range map[string]struct{ row, change, back string }{
				"a role is moved to another member": {"role " + g.organization + " " + g.id["ben"] + " admin",
					"UPDATE roles SET account = " + ben + " WHERE account = " + ann + " AND organization = " + clinic,
					"UPDATE roles SET account = " + ann + " WHERE account = " + ben + " AND organization = " + clinic},
				"a role becomes a greater one": {"role " + g.organization + " " + g.id["ann"] + " auditor",
					"UPDATE roles SET role = 'auditor' WHERE account = " + ann,
					"UPDATE roles SET role = 'admin' WHERE account = " + ann},
				"a membership is older": {"membership " + g.organization + " " + g.id["ben"],
					"UPDATE memberships SET joined = joined - 1 WHERE account = " + ben,
					"UPDATE memberships SET joined = joined + 1 WHERE account = " + ben},
				"the operator's mark is set": {"account " + g.id["ben"],
					"UPDATE accounts SET operator = 1 WHERE account = " + ben,
					"UPDATE accounts SET operator = 0 WHERE account = " + ben},
				"a secret is replaced": {"key " + g.key,
					"UPDATE keys SET previous_hash = secret_hash, secret_hash = x'" + hash + "' WHERE api_key = '" + g.key + "'",
					"UPDATE keys SET secret_hash = previous_hash, previous_hash = x'' WHERE api_key = '" + g.key + "'"},
				"a password is replaced": {"password " + g.id["ben"],
					"UPDATE accounts SET password = password || 'abab' WHERE account = " + ben,
					"UPDATE accounts SET password = substr(password, 1, length(password) - 4) WHERE account = " + ben},
			} {
				g.change(forgery.change)
				for _, command := range []string{"keys", "audit"} {
					code, stdout, stderr := run(t, nil, g.settings(command, "verify")...)
					named := false
					for line := range strings.Lines(stdout) {
						named = named || strings.HasPrefix(line, forgery.row+": ")
					}
					if code != exitFailed || !named || strings.Count(stdout, "it was not written by a server") != 1 {
						t.Errorf("%s: %s verify ended with %d and said %q, %q; want %d and %q", name, command, code, stdout, stderr,
							exitFailed, forgery.row)
					}
					if said := stdout + stderr; strings.Contains(said, "abab") || strings.Contains(said, "argon2id") {
						t.Errorf("%s: %s verify tells a secret: %q", name, command, said)
					}
				}
				g.change(forgery.back)
			}
			g.wantGenuine("as it was", rows)
		})
	}
}

// change does to one row what somebody does who may write to the database.
func (g *guarded) change(statement string) {
	g.t.Helper()
	if g.database != "" {
		conn, err := pgx.Connect(g.t.Context(), g.database)
		if err != nil {
			g.t.Fatal(err)
		}
		defer func() { _ = conn.Close(context.WithoutCancel(g.t.Context())) }()
		done, err := conn.Exec(g.t.Context(), postgrestest.FromSQLite(statement))
		if err != nil || done.RowsAffected() != 1 {
			g.t.Fatalf("%s: %d rows, %v", statement, done.RowsAffected(), err)
		}
		return
	}
	conn, err := sqlite.OpenConn(filepath.Join(g.data, "signet.db"), sqlite.OpenReadWrite)
	if err != nil {
		g.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := sqlitex.ExecuteTransient(conn, statement, nil); err != nil || conn.Changes() != 1 {
		g.t.Fatalf("%s: %d rows, %v", statement, conn.Changes(), err)
	}
}
