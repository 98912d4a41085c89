package doctor

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/live/natstest"
	"signet/internal/store/postgres"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// TestInstallationOnADatabase, healthy and with each fault of what it is connected to.
func TestInstallationOnADatabase(t *testing.T) {
	testenv.Long(t)
	s, whole := mustServe(t, func(cfg *config.Config) { cfg.Database = postgrestest.URL(t) })
	server := func(o *Options) { o.Server = &Server{URL: s.URL} }
	// Tests have one PostgreSQL server for the store and the key ring.
	wantCodes(t, "healthy", examine(t, whole, server), "keys.beside")
	nats := natstest.Start(t)
	for _, c := range []struct {
		what  string
		cause func(*config.Config)
		want  []string
	}{
		{"a database that is away", func(cfg *config.Config) { cfg.Database = nowhere(cfg.Database) },
			[]string{"database.away"}},
		{"a database that nobody began with", func(cfg *config.Config) { cfg.Database = postgrestest.URL(t) },
			[]string{"store.empty"}},
		{"commits that do not wait", func(cfg *config.Config) { cfg.Database += "&synchronous_commit=off" },
			[]string{"database.commit", "keys.beside"}},
		{"a pooler", func(cfg *config.Config) { cfg.Database = postgrestest.Pooled(t, cfg.Database) },
			[]string{"bus.notify", "keys.beside"}},
		{"NATS", func(cfg *config.Config) { cfg.NATS = nats.URL() }, []string{"keys.beside"}},
		{"a NATS that is away", func(cfg *config.Config) { cfg.NATS = "nats://127.0.0.1:1" },
			[]string{"bus.nats", "keys.beside"}},
		{"a key ring that is away", func(cfg *config.Config) { cfg.Keyring = nowhere(cfg.Keyring) }, []string{"keys.away"}},
		{"a key ring that is missing", func(cfg *config.Config) { cfg.Keyring = postgrestest.URL(t) },
			[]string{"keys.ring"}},
		{"a copy of another key ring", func(cfg *config.Config) { cfg.KeyringCopy = postgrestest.URL(t) },
			[]string{"keys.beside", "keys.copy"}},
		{"a bucket that is away", func(cfg *config.Config) {
			cfg.Blobs = "s3://key:hunter2@signet?endpoint=127.0.0.1:1&insecure=true"
		}, []string{"attachments.away", "keys.beside"}},
	} {
		cfg := *whole
		c.cause(&cfg)
		wantCodes(t, c.what, examine(t, &cfg, server), c.want...)
	}
	s.Stop()
}

// nowhere is a database's address at which nobody listens.
func nowhere(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	return "postgres://signet:hunter2@127.0.0.1:1" + u.Path + "?sslmode=disable&connect_timeout=2"
}

// TestDatabaseThatOnlyLetsRead is told as that; of several hosts, the one that lets write is looked at.
func TestDatabaseThatOnlyLetsRead(t *testing.T) {
	testenv.Long(t)
	primary := postgrestest.Start(t)
	url := primary.URL(t)
	keyring, master := apptest.SharedKeys(t)
	s, cfg := mustServe(t, func(cfg *config.Config) {
		cfg.Database, cfg.Keyring, cfg.MasterKey = url, keyring, master
	})
	standby := primary.StartStandby(t)
	both := *cfg
	both.Database = strings.Replace(url, primary.Addr(), standby.Addr()+","+primary.Addr(), 1)
	server := func(o *Options) { o.Server = &Server{URL: s.URL} }
	wantCodes(t, "both", examine(t, &both, server))
	alone := *cfg
	alone.Database = strings.Replace(url, primary.Addr(), standby.Addr(), 1)
	wantCodes(t, "a standby", examine(t, &alone, server), "database.standby", "bus.notify")
	s.Stop()
}

// TestEncodingOfTheDatabase, which was chosen when it was made.
func TestEncodingOfTheDatabase(t *testing.T) {
	testenv.Long(t)
	address := postgrestest.Start(t).URL(t)
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	const other = `CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`
	if _, err := conn.Exec(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Path, u.RawQuery = "/latin", "sslmode=disable"
	cfg := config.Default()
	cfg.Data, cfg.Database = t.TempDir()+"/none", u.String()
	wantCodes(t, "LATIN1", examine(t, cfg), "database.encoding", "store.empty", "server.none")
}

// TestDatabaseThatIsTooOldOrOff has what no PostgreSQL of the tests is.
func TestDatabaseThatIsTooOldOrOff(t *testing.T) {
	e := &examination{Options: Options{Config: config.Default()}}
	e.judge(&postgres.Seen{Version: 140009, Encoding: "UTF8", Commit: "on", Offset: -600 * time.Millisecond})
	wantCodes(t, "an old one", e.found, "database.version", "clock.offset")
}

// TestFindingsRepeatNoSecret, wherever settings can hold one.
func TestFindingsRepeatNoSecret(t *testing.T) {
	const secret = "hunter2&more"
	in := url.QueryEscape(secret)
	cfg := config.Default()
	cfg.Data = t.TempDir()
	cfg.Database = "postgres://signet:" + in + "@127.0.0.1:1/signet?sslmode=disable"
	cfg.Keyring = "postgres://signet@127.0.0.1:1/keyring?sslmode=disable&password=" + in
	cfg.KeyringCopy = "postgres://signet:" + in + "@127.0.0.1:1/copy?sslmode=disable"
	cfg.NATS = "nats://" + in + "@127.0.0.1:1,nats://signet:" + in + "@127.0.0.1:2"
	cfg.Blobs = "s3://key:" + in + "@bucket?endpoint=127.0.0.1:1&insecure=true"
	cfg.InsecureLinks = true
	found := Examine(t.Context(), Options{Config: cfg, Now: time.Now()})
	if len(found) < 3 {
		t.Errorf("only %d findings: this test shows nothing", len(found))
	}
	for _, f := range found {
		if strings.Contains(f.Problem, "hunter2") {
			t.Errorf("a finding repeats a secret: %+v", f)
		}
	}
	e := &examination{Options: Options{Config: cfg}}
	e.noteSecrets()
	e.find("database.away", "a driver says %s, and\n\t%s", secret, cfg.Database)
	if got := e.found[0].Problem; strings.Contains(got, "hunter2") || strings.ContainsAny(got, "\n\t") {
		t.Errorf("a text with a secret becomes %q", got)
	}
}
