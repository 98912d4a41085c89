package api_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/testenv"
)

// size is how much a server has stored.
type size struct {
	rows  map[string]int   // by table
	bytes map[string]int64 // by the first part of a file's path in the data directory
}

// TestStoreDoesNotGrowInNinetyDays: people write, read, recall and leave unread the same every day, with lifetimes of a
// week. Once the first messages have expired and the first events are past their retention, 45 more days add nothing:
// not a row, not a page, not a file, not a key.
func TestStoreDoesNotGrowInNinetyDays(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	dir := t.TempDir()
	c := startClinic(t, func(f *figures) { f.dir = dir })
	group := c.alice.mustCreateGroup("Ward", c.bob, c.carl)
	var half size
	for day := 1; day <= 90; day++ {
		c.liveADay(day, group)
		switch day {
		case 45:
			half = c.mustMeasure(dir)
		case 90:
			c.wantNotGrown(half, c.mustMeasure(dir))
		}
	}
}

// liveADay has people do what they do each day, and the server what it does behind them.
func (c *clinic) liveADay(day int, group string) {
	c.t.Helper()
	const week = 7 * 24 * 60
	body := strings.Repeat("All of this is gone in a week. ", 60)
	var got []string
	for n := range 6 {
		c.clock.Advance(time.Hour)
		name := fmt.Sprint("day-", day, "-", n)
		answer := c.alice.post("/v2/message", fields{"recipient": c.bob.token, "body": body, "ttl": week}, requestID(name))
		got = append(got, answer.want(204).Header.Get("TT-X-Message-Id"))
		got = append(got, c.carl.mustSend(group, body, "ttl", week, "dor", n == 0))
		c.bob.mustSend(c.carl.token, body, "ttl", week) // who never reads
	}
	got = append(got, c.bob.do("POST", "/v2/message", parts(map[string]string{"recipient": group, "ttl": fmt.Sprint(week)},
		file{"attachment", "scan.png", "image/png", bytes.Repeat([]byte{byte(day)}, 20<<10)})).want(204).
		Header.Get("TT-X-Message-Id"))
	c.carl.delete("/v2/message/" + c.carl.mustSend(c.bob.token, body, "ttl", week)).want(204)
	c.bob.mustMark("read", got...)
	c.alice.mustMark("read", got...)
	for _, p := range []*person{c.alice, c.bob} {
		for events := p.events(); len(events) > 0; events = p.events() {
			var ids []string
			for _, e := range events {
				ids = append(ids, e.id)
			}
			p.mustAck(ids...)
		}
	}
	for range 3 {
		c.clock.Advance(6 * time.Hour)
		c.mustSweep()
	}
	c.mustKeepHouse()
}

// destroyed are the names of keys that a key ring has destroyed, which it keeps for over a year.
var destroyed = regexp.MustCompile(`(?m)(?:^gone .*\n)+`)

// mustMeasure counts the rows of each table, but those of the audit log, which is kept as long as its retention says,
// and what is in the files, but for the names of destroyed keys.
func (c *clinic) mustMeasure(dir string) size {
	c.t.Helper()
	s := size{map[string]int{}, map[string]int64{}}
	for _, column := range c.columns() {
		if strings.HasPrefix(column.table, "audit_") {
			continue
		}
		err := c.engine.View(c.t.Context(), func(session store.Session) error {
			return session.Query("SELECT COUNT(*) FROM "+column.table, nil, func(row store.Row) error {
				var n int
				err := row.Scan(&n)
				s.rows[column.table] = n
				return err
			})
		})
		if err != nil {
			c.t.Fatal(err)
		}
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(dir, path)
		first, _, _ := strings.Cut(filepath.ToSlash(inside), "/")
		if !strings.HasSuffix(first, "-wal") && !strings.HasSuffix(first, "-shm") { // as long as a checkpoint allows
			s.bytes[first] += info.Size()
		}
		if first == "keyring" {
			var text []byte
			text, err = os.ReadFile(path)
			s.bytes[first] -= int64(len(destroyed.Find(text)))
		}
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

func (c *clinic) wantNotGrown(before, after size) {
	c.t.Helper()
	if n := after.rows["messages"]; n < 100 {
		c.t.Errorf("the store has %d messages: too few to show anything", n)
	}
	for table, n := range after.rows {
		if n > before.rows[table] {
			c.t.Errorf("%s has %d rows after 90 days, and had %d after 45", table, n, before.rows[table])
		}
	}
	if enginetest.OnPostgres() { // which has files of its own
		return
	}
	if after.bytes["blobs"] == 0 {
		c.t.Errorf("there are no attachments: the test looks at the wrong place: %v", after.bytes)
	}
	for name, n := range after.bytes {
		if most := before.bytes[name] + before.bytes[name]/50; n > most { // pages may lie otherwise on another day
			c.t.Errorf("%s has %d bytes after 90 days, and had %d after 45", name, n, before.bytes[name])
		}
	}
}
