package sqlite

import (
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/storetest"
)

// growing are the tables that get ever larger, by the names under which the
// store's statements know them. None of them is ever read from end to end.
var growing = map[string]string{
	"messages": "messages", "m": "messages", "deliveries": "deliveries", "d": "deliveries", "events": "events",
	"e":             "events",
	"conversations": "conversations", "c": "conversations", "mine": "conversations", "theirs": "conversations",
	"group_members": "group_members", "p": "group_members", "memberships": "memberships", "accounts": "accounts",
	"addresses":    "addresses",
	"search_words": "search_words", "w": "search_words", "search_entities": "search_entities", "groups": "groups",
	"g":        "groups",
	"metadata": "metadata", "mutes": "mutes", "join_requests": "join_requests", "scim_people": "scim_people",
	"push_subscriptions": "push_subscriptions",
	"roles":              "roles", "r": "roles", "avatars": "avatars", "blobs": "blobs",
	"requests": "requests", "keys": "keys", "quotas": "quotas", "streams": "streams", "s": "streams",
	"subjects": "subjects", "subject_keys": "subject_keys", "sign_ins": "sign_ins",
	"figures": "figures", "escalations": "escalations", "escalation_targets": "escalation_targets",
}

// scans are the statements that may read a whole table, and why.
var scans = map[string]string{
	`SELECT 1 FROM accounts WHERE operator = 1`: "runs once at each start, and the first account is an operator",
	`SELECT account, operator, disabled, created_by, created, code FROM accounts WHERE operator = 1 ORDER BY created, account`: "runs " +
		"when somebody replaces the operator's credentials",
	`SELECT organization FROM metadata WHERE entity = ? LIMIT ? + 0`: "runs once for an account that is erased, and " +
		"beside who writes",
	`SELECT organization, kind, display_name, word FROM search_words WHERE entity = ? UNION ALL SELECT ` +
		`organization, 0, '', '' FROM search_entities WHERE entity = ? LIMIT ? + 0`: "the same",
	`SELECT api_key FROM keys WHERE issued_by = ? LIMIT ? + 0`: "runs once for an account that is erased, and beside " +
		"who writes",
	`SELECT group_token FROM groups WHERE created_by = ? LIMIT ? + 0`: "runs once for an account that is erased, and " +
		"beside who writes",
	`SELECT account, request FROM requests WHERE message = ? LIMIT 1`: "runs once for an account that is erased, and beside " +
		"who writes",
	`DELETE FROM addresses WHERE account = ?`:              "runs once for an account that is erased",
	`DELETE FROM roles WHERE account = ?`:                  "runs once for an account that is erased",
	`SELECT COUNT(*) FROM group_members WHERE history > 0`: "counts by an index of the few that it counts",
	`SELECT COUNT(*) FROM (SELECT message FROM escalations WHERE state = 0 LIMIT ? + 0) few`: "the same, up to a " +
		"limit",
	`DELETE FROM quotas WHERE day < ?`: "runs once an hour, on one row for each key and day",
	`DELETE FROM keys WHERE (expires > 0 AND expires < ?) ` +
		`OR (login = 1 AND session = 0 AND created < ? AND last_used < ? ` +
		`OR session = 1 AND created < ? AND last_used < ?)`: "runs once an hour, on one row for each key",
	`DELETE FROM keys WHERE parent <> '' AND NOT EXISTS (SELECT 1 FROM keys p WHERE p.api_key = keys.parent) ` +
		`OR elevated_with <> '' AND NOT EXISTS (SELECT 1 FROM keys p WHERE p.api_key = keys.elevated_with)`: "runs " +
		"once an hour where a key has expired, on one row for each key",
	`DELETE FROM push_subscriptions ` +
		`WHERE NOT EXISTS (SELECT 1 FROM keys k WHERE k.api_key = push_subscriptions.api_key)`: "the same, on those of " +
		"browsers",
	`DELETE FROM subject_keys ` +
		`WHERE NOT EXISTS (SELECT 1 FROM keys k WHERE k.api_key = subject_keys.api_key)`: "the same, on those of sign-ins " +
		"with a provider",
	`SELECT DISTINCT account FROM keys WHERE (expires > 0 AND expires < ?) ` +
		`OR (login = 1 AND session = 0 AND created < ? AND last_used < ? ` +
		`OR session = 1 AND created < ? AND last_used < ?)`: "the same",
	`SELECT DISTINCT account FROM keys WHERE parent <> '' AND NOT EXISTS ` +
		`(SELECT 1 FROM keys p WHERE p.api_key = keys.parent) ` +
		`OR elevated_with <> '' AND NOT EXISTS (SELECT 1 FROM keys p WHERE p.api_key = keys.elevated_with)`: "the same",
}

var (
	scanned   = regexp.MustCompile(`\bSCAN (\w+)( VIRTUAL TABLE)?`)
	bareLimit = regexp.MustCompile(`LIMIT \?\s*($|[^+\s])`)
)

// TestPlans plays what runs every statement, notes them, and asks SQLite
// how it would carry it out.
func TestPlans(t *testing.T) {
	noted := &notes{texts: map[string]bool{}}
	t.Run("suite", func(t *testing.T) {
		storetest.RunNouns(t, conformance.Harness{Open: func(t testing.TB) conformance.Opener {
			open := openTemp(t)
			return func(clock func() time.Time) (store.Engine, error) {
				e, err := open(clock)
				return notingEngine{e, noted}, err
			}
		}})
	})
	path := filepath.Join(t.TempDir(), "signet.db")
	e := mustOpenAt(t, path, Options{})
	if _, err := store.Open(t.Context(), e, func() string { return "epoch" }); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	explained := 0
	allowed := maps.Clone(scans)
	for _, text := range slices.Sorted(maps.Keys(noted.texts)) {
		steps, ok := plan(conn, text)
		if !ok || strings.HasSuffix(text, storetest.Forging) {
			continue // of the suite's own
		}
		explained++
		if bareLimit.MatchString(text) {
			t.Errorf("SQLite plans this anew each time that its limit is bound; write LIMIT ? + 0:\n%s", text)
		}
		if strings.Contains(text, "FROM messages e ") &&
			!slices.Contains(steps, "SEARCH e USING COVERING INDEX messages_ends (ends<?)") {
			t.Errorf("for each message that has ended its row is read, whosever it is, by\n%s", text)
		}
		for _, step := range steps {
			match := scanned.FindStringSubmatch(step)
			if match == nil || growing[match[1]] == "" || match[2] != "" { // what a pragma lists is no table
				continue
			}
			if _, ok := scans[text]; ok {
				delete(allowed, text)
				continue
			}
			t.Errorf("%s is read whole (%s) by\n%s", growing[match[1]], step, text)
		}
	}
	for text := range allowed {
		t.Errorf("this statement need not be excused: %s", text)
	}
	if explained < 100 {
		t.Errorf("only %d statements were looked at", explained)
	}
}

// plan returns the steps by which SQLite would carry out a statement; ok is false
// for one that it does not know the tables of, or that has no plan.
func plan(conn *sqlite.Conn, text string) (steps []string, ok bool) {
	stmt, _, err := conn.PrepareTransient("EXPLAIN QUERY PLAN " + strings.ReplaceAll(text, "(?*)", "(?, ?, ?)"))
	if err != nil {
		return nil, false
	}
	defer stmt.Finalize()
	for {
		more, err := stmt.Step()
		if err != nil || !more {
			return steps, err == nil
		}
		steps = append(steps, stmt.ColumnText(3))
	}
}

// notes collects the texts of statements.
type notes struct {
	mu    sync.Mutex // guards texts
	texts map[string]bool
}

func (n *notes) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.texts[text] = true
}

// notingEngine notes what passes through it.
type notingEngine struct {
	store.Engine
	notes *notes
}

func (e notingEngine) View(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	return e.Engine.View(ctx, func(s store.Session) error { return fn(notingSession{s, e.notes}) }, traits...)
}

func (e notingEngine) Update(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	return e.Engine.Update(ctx, func(s store.Session) error { return fn(notingSession{s, e.notes}) }, traits...)
}

type notingSession struct {
	store.Session
	notes *notes
}

func (s notingSession) Exec(text string, args ...any) (int64, error) {
	s.notes.add(text)
	return s.Session.Exec(text, args...)
}

func (s notingSession) Post(text string, args ...any) error {
	s.notes.add(text)
	return s.Session.Post(text, args...)
}

func (s notingSession) Query(text string, args []any, each func(store.Row) error) error {
	s.notes.add(text)
	return s.Session.Query(text, args, each)
}

func (s notingSession) Ask(text string, args []any, each func(store.Row) error) error {
	s.notes.add(text)
	return s.Session.Ask(text, args, each)
}
