package app

import (
	"bytes"
	"io/fs"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/postgres"
	"signet/internal/store/postgrestest"
	"signet/internal/store/sqlite"
	"signet/internal/testenv"
)

// day is a ward in which people write to each other all day, and what is known of their messages.
type day struct {
	*ward
	source store.Source // the server's store, read beside it
	days   []string     // of the messages' keys, each once, as long as there is one
	sent   []dayLetter
}

// dayLetter is a message of the days.
type dayLetter struct {
	id       string
	ends     time.Time
	recalled bool
	gone     bool // once it was read
	reader   person
}

// The rows of these tables do not end with messages: figures are kept for each minute of a day and then for
// each hour, of which each has a job until it is counted; the audit log is kept for years; and a server's lease
// ends when hours pass at once, and is there again a moment later.
var growing = []string{"figures", "jobs", "audit_entries", "audit_names", "audit_chains", "audit_checkpoints",
	"nodes"}

// shift is how long people work until it is looked whether the server keeps up.
const shift = 2 * time.Hour

// TestDayOfTrafficLeavesTheStoreAsItWas lets two days pass in which as much is sent in each shift. In the first
// the store fills up, until as much ends as is sent. The second day leaves it as it was: it is level, what has
// ended is gone, and so are the keys of the days that are over. Once nobody writes any more, nothing is left.
func TestDayOfTrafficLeavesTheStoreAsItWas(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	for name, database := range map[string]bool{"embedded": false, "PostgreSQL": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := settings(t)
			if database {
				cfg.Database = postgrestest.URL(t)
			}
			d := mustOpenDay(t, cfg)
			d.sweep()
			d.mustPassADay()
			first := d.mustTakeCensus()
			pages := d.mustCountPages()
			d.mustPassADay()
			d.wantLevel(first, d.mustTakeCensus())
			if now := d.mustCountPages(); now > pages*11/10 {
				t.Errorf("the second day made the file grow from %d pages to %d", pages, now)
			}
			d.wantOnlyWhatLives()
			d.pass(21 * time.Hour)
			d.wantSwept()
			d.wantOnlyWhatLives()
			for table, rows := range d.mustTakeCensus() {
				if slices.Contains([]string{"messages", "deliveries", "blobs", "erasures"}, table) && rows != 0 {
					t.Errorf("%d rows of %s are left once everything has ended", rows, table)
				}
			}
			if files := mustListFiles(t, filepath.Join(d.app.dir, home.BlobsDirectory)); len(files) > 0 {
				t.Errorf("once everything has ended the files %q of attachments are left", files)
			}
		})
	}
}

// mustOpenDay starts the day at six in the morning.
func mustOpenDay(t *testing.T, cfg *config.Config) *day {
	t.Helper()
	d := &day{ward: &ward{t: t, passed: new(atomic.Int64), began: time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)}}
	d.mustStart(cfg, false)
	d.mustAdmit()
	if cfg.Database != "" {
		engine, err := postgres.Open(t.Context(), cfg.Database, postgres.Options{Connections: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = engine.Close() })
		d.source = engine
		return d
	}
	reader, err := sqlite.OpenReader(home.Database(cfg.Data))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close() })
	d.source = reader
	return d
}

// dayText is what all messages say.
const dayText = "What the ward needs to know in this shift."

func (d *day) now() time.Time { return d.began.Add(time.Duration(d.passed.Load())) }

// mustPassADay lets twenty-four hours pass, one shift after the other.
func (d *day) mustPassADay() {
	d.t.Helper()
	for range 24 * time.Hour / shift {
		d.mustWork()
		d.pass(shift)
		d.wantSwept()
	}
	d.wantKept()
}

// mustWork is what happens in a shift: messages that live for two hours, six and twenty, to one and to all,
// with and without a file; one that is recalled, and one that is gone once it is read. All who get some read
// them.
func (d *day) mustWork() {
	d.t.Helper()
	ctx := d.t.Context()
	send := func(from, to person, recipient string, hours int, m client.Outgoing) *dayLetter {
		m.Recipient, m.Body, m.TTL = recipient, dayText, 60*hours
		sent, err := from.Send(ctx, m)
		if err != nil {
			d.t.Fatal(err)
		}
		ends := d.now().Add(time.Duration(hours) * time.Hour)
		d.sent = append(d.sent, dayLetter{id: sent.MessageID, ends: ends, reader: to})
		return &d.sent[len(d.sent)-1]
	}
	file := func() client.Outgoing {
		return client.Outgoing{Attachment: &client.Upload{Name: "a.txt", Content: bytes.NewReader(make([]byte, 5000))}}
	}
	for _, hours := range []int{2, 6, 20} {
		send(d.alice, d.bob, "bob", hours, client.Outgoing{})
		send(d.bob, d.carol, d.group, hours, client.Outgoing{})
		send(d.carol, d.alice, "alice", hours, file())
	}
	recalled := send(d.alice, d.bob, "bob", 20, file())
	if err := d.alice.Recall(ctx, recalled.id); err != nil {
		d.t.Fatal(err)
	}
	recalled.recalled = true
	send(d.alice, d.carol, "carol", 20, client.Outgoing{DOR: new(true)}).gone = true
	for range 2 { // who has read something makes events for others
		for _, who := range d.everybody() {
			d.mustCatchUp(who)
		}
	}
	d.noteKeys()
}

// mustCatchUp reads a queue to its end, acknowledges it, and marks what is in it Read.
func (d *day) mustCatchUp(who person) {
	d.t.Helper()
	ctx := d.t.Context()
	events, err := who.Poll(ctx, client.PollOptions{Limit: 1000})
	if err != nil {
		d.t.Fatal(err)
	}
	var ids, messages []string
	for _, e := range events {
		ids = append(ids, e.ID)
		if m, err := e.Message(); err == nil {
			messages = append(messages, m.MessageID)
		}
	}
	if len(ids) > 0 {
		err = who.Ack(ctx, ids...)
	}
	if err == nil && len(messages) > 0 {
		err = who.MarkRead(ctx, messages...)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// noteKeys keeps in mind for which days there are keys of messages.
func (d *day) noteKeys() {
	for _, period := range periods(d.t, d.app.dir) {
		if !slices.Contains(d.days, period) {
			d.days = append(d.days, period)
		}
	}
}

// wantSwept waits until the server has erased all that has ended, with its files, and destroyed the keys of the
// days that are over.
func (d *day) wantSwept() {
	d.t.Helper()
	now := d.now()
	wantIn(d.t, "what has ended is erased", func() bool {
		return d.mustCount(`SELECT COUNT(*) FROM messages WHERE ends <= ?`, store.Millis(now)) == 0 &&
			d.mustCount(`SELECT COUNT(*) FROM erasures`) == 0
	})
	wantIn(d.t, "the keys of days that are over are destroyed", func() bool { return len(d.keysBefore(now)) == 0 })
}

// wantKept waits until housekeeping has ended the day: nobody may repeat a call any more that is a day old, and
// no day is left of which messages went and the key was not looked at.
func (d *day) wantKept() {
	d.t.Helper()
	before := store.Millis(d.now().Add(-model.RepeatWindow))
	wantIn(d.t, "the day is over", func() bool {
		return d.mustCount(`SELECT COUNT(*) FROM requests WHERE created <= ?`, before) == 0 &&
			d.mustCount(`SELECT COUNT(*) FROM key_endings`) == 0
	})
}

// keysBefore are the days that were over at a time and have a key still.
func (d *day) keysBefore(now time.Time) []string { return overBefore(periods(d.t, d.app.dir), now) }

// overBefore picks the days that were over at a time.
func overBefore(periods []string, now time.Time) (over []string) {
	for _, period := range periods {
		if date, ok := strings.CutPrefix(period, "until-"); ok && date < now.Format(time.DateOnly) {
			over = append(over, period)
		}
	}
	return over
}

// mustCount asks the store for a number.
func (d *day) mustCount(query string, args ...any) (n int) {
	d.t.Helper()
	err := d.source.View(d.t.Context(), func(s store.Session) error {
		return s.Query(query, args, func(row store.Row) error { return row.Scan(&n) })
	})
	if err != nil {
		d.t.Fatalf("%s: %v", query, err)
	}
	return n
}

// mustTakeCensus counts the rows of all tables.
func (d *day) mustTakeCensus() map[string]int64 {
	d.t.Helper()
	census, err := store.TakeCensus(d.t.Context(), d.source)
	if err != nil {
		d.t.Fatal(err)
	}
	return census.Rows
}

// mustCountPages is how many pages of the embedded store's file are in use; 0 of a database, which says by
// VACUUM only what it could use again.
func (d *day) mustCountPages() int {
	d.t.Helper()
	if d.app.cfg.Database != "" {
		return 0
	}
	return d.mustCount(`SELECT page_count - freelist_count FROM pragma_page_count(), pragma_freelist_count()`)
}

// mustListFiles lists the files of attachments in a directory, which has others that say whose it is.
func mustListFiles(t *testing.T, directory string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(directory, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "owner.json" && d.Name() != "signet.mark" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// wantLevel compares the rows of a day's end with those of the one before: none are more.
func (d *day) wantLevel(before, after map[string]int64) {
	d.t.Helper()
	for _, table := range slices.Sorted(maps.Keys(after)) {
		if after[table] > before[table] && !slices.Contains(growing, table) {
			d.t.Errorf("%s has %d rows after the second day, and had %d after the first", table, after[table], before[table])
		}
	}
	if before["messages"] == 0 || after["messages"] != before["messages"] ||
		after["deliveries"] != before["deliveries"] {
		d.t.Errorf("after a day there are %d messages and %d copies, and after the next %d and %d", before["messages"],
			before["deliveries"], after["messages"], after["deliveries"])
	}
}

// wantOnlyWhatLives asks for each message of all days, and looks for the keys.
func (d *day) wantOnlyWhatLives() {
	d.t.Helper()
	now, lives := d.now(), 0
	for _, l := range d.sent {
		want, text := http.StatusNotFound, false
		if !l.gone && l.ends.After(now) {
			want, text = http.StatusOK, !l.recalled // what was recalled says so, until it would have ended
		}
		if text {
			lives++
		}
		status, answer := d.get(l.reader, "/message/"+l.id)
		if status != want || bytes.Contains(answer, []byte(dayText)) != text {
			d.t.Errorf("at %v the message %+v is answered %d %s", now, l, status, answer)
		}
	}
	if rows := d.mustCount(`SELECT COUNT(*) FROM messages WHERE recalled = 0`); rows != lives {
		d.t.Errorf("%d messages are stored, of which %d live", rows, lives)
	}
	over := len(overBefore(d.days, now))
	if left := d.keysBefore(now); over < 2 || len(left) > 0 {
		d.t.Errorf("of the keys of %d days that are over, %q are left", over, left)
	}
}
