package app

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"signet/client"
	"signet/internal/config"
	"signet/internal/offline"
	"signet/internal/store/postgrestest"
)

// changeDatabase runs statements behind the server's back. A literal of bytes is
// written in them as SQLite does.
func changeDatabase(t *testing.T, cfg *config.Config, statements ...string) {
	t.Helper()
	if cfg.Database == "" {
		change(t, cfg.Data, statements...)
		return
	}
	conn, err := pgx.Connect(t.Context(), cfg.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, statement := range statements {
		if _, err := conn.Exec(t.Context(), postgrestest.FromSQLite(statement)); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// TestUnsealedRowsAreNotServed writes into a store what is not sealed, as somebody may
// who has the database and no key.
func TestUnsealedRowsAreNotServed(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]func(postgrestest.TB) string{
		"sqlite": func(postgrestest.TB) string { return "" }, "postgres": postgrestest.URL} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			cfg := settings(t)
			cfg.Database = database(t)
			w := mustOpenWardAt(t, cfg, false)
			forged, emptied := w.mustSendTo("bob", client.Outgoing{Body: "5 mg"}),
				w.mustSendTo("bob", client.Outgoing{Body: "5 mg too"})
			untouched := w.mustSendTo("bob", client.Outgoing{Body: "as it was"})
			if err := w.alice.SetMetadata(t.Context(), "me", client.Metadata{"room": "12"}); err != nil {
				t.Fatal(err)
			}
			if err := w.stop(); err != nil {
				t.Fatal(err)
			}
			changeDatabase(t, cfg,
				fmt.Sprintf("UPDATE messages SET content = x'00%x' WHERE message = %s", "GIVE 100 mg", literal(forged)),
				"UPDATE messages SET content = x'' WHERE message = "+literal(emptied),
				fmt.Sprintf("UPDATE metadata SET content = x'%x'", `{"room":"13"}`),
			)
			again := w.mustReopen(cfg)
			again.sweep()
			for _, id := range []string{forged, emptied} {
				again.wantGet(again.bob, &specimen{id: id}, "", http.StatusInternalServerError)
			}
			if got, err := again.alice.Metadata(t.Context(), "me"); err == nil {
				t.Errorf("metadata reads %v", got)
			}
			events, err := again.bob.Poll(t.Context(), client.PollOptions{})
			if err != nil {
				t.Fatal(err)
			}
			shown := ""
			for _, e := range events {
				shown += string(e.Payload) + "\n"
			}
			if !strings.Contains(shown, untouched) || strings.Contains(shown, forged) || strings.Contains(shown, emptied) ||
				strings.Contains(shown, "GIVE") {
				t.Errorf("the queue shows %s", shown)
			}
			var told []string
			v, err := offline.VerifyKeys(t.Context(), cfg, false, func(line string) { told = append(told, line) })
			lines := strings.Join(told, "\n")
			if err != nil || v.Broken != 3 || !strings.Contains(lines, forged) || !strings.Contains(lines, emptied) ||
				!strings.Contains(lines, again.aliceToken()) {
				t.Errorf("verify says %+v, %v, %q, want three that are not sealed", v, err, told)
			}
		})
	}
}
