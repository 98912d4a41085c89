package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"signet/internal/load"
)

// What is counted of an operation, by the names in load.Counts.
const (
	countStatements = "statements" // of SQL, without the engine's own
	countPages      = "pages"      // written to the log of the embedded store
	countBytes      = "bytes"      // that went to the disk, whoever wrote them, or into PostgreSQL's log
	countCommits    = "commits"    // of transactions that wrote
	countHits       = "hits"       // pages that PostgreSQL found in its memory
	countReads      = "reads"      // pages that it asked the system for
)

// served names what a server counts itself. A version that does not have a metric is not
// compared by it.
var served = map[string]string{
	"signet_store_statements_total": countStatements,
	"signet_store_log_pages_total":  countPages,
	"signet_store_commits_total":    countCommits,
}

// counters reads what is counted of a server while it is measured.
type counters struct {
	target *load.Target
	data   string    // the server's directory
	log    *pgx.Conn // to the database that it stores in; nil: the embedded store
	err    error     // of the first reading that failed
}

// withCounters has what is counted read while fn measures a server.
func withCounters(t *testing.T, own load.Own, target *load.Target, fn func() error) (err error) {
	t.Helper()
	c := &counters{target: target, data: own.Data}
	if own.Database != "" {
		if c.log, err = pgx.Connect(t.Context(), own.Database); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.log.Close(t.Context())) }()
	}
	// A server that is asked for its metrics counts its queues, at most once a minute. Now
	// they are empty.
	c.read(t.Context())
	target.Counters = func() load.Counts { return c.read(t.Context()) }
	err = fn()
	return errors.Join(err, c.err)
}

// read returns all counters. Once one could not be read it returns none.
func (c *counters) read(ctx context.Context) load.Counts {
	counts := load.Counts{}
	err := c.err
	nodes := c.target.Nodes
	if len(nodes) == 0 {
		nodes = []string{c.target.BaseURL}
	}
	for _, node := range nodes {
		if err == nil {
			err = scrape(ctx, node, served, counts)
		}
	}
	if err == nil && c.log != nil {
		err = errors.Join(c.logged(ctx, counts), c.blocks(ctx, counts))
	} else if err == nil {
		var bytes float64
		var known bool
		if bytes, known, err = writtenToDisk(c.data); known {
			counts[countBytes] = bytes
		}
	}
	if err != nil {
		c.err = err
		return nil
	}
	return counts
}

// logged reads how many bytes the database wrote to its log: the place in the log is told at once,
// where pg_stat_wal is behind by a second.
func (c *counters) logged(ctx context.Context, counts load.Counts) error {
	var bytes float64
	err := c.log.QueryRow(ctx, `SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8`).Scan(&bytes)
	counts[countBytes] = bytes
	return err
}

// blocks reads how many pages the database asked for, of which it had some in its own memory. It is
// told them by its processes once a second.
func (c *counters) blocks(ctx context.Context, counts load.Counts) error {
	var had, read float64
	err := c.log.QueryRow(ctx, `SELECT blks_hit, blks_read FROM pg_stat_database WHERE datname = current_database()`).
		Scan(&had, &read)
	counts[countHits], counts[countReads] = had, read
	return err
}

// scrape adds some of a server's metrics to counts, under the names that are wanted for them.
func scrape(ctx context.Context, base string, wanted map[string]string, counts load.Counts) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/metrics", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server's metrics: %s", response.Status)
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		metric, value, _ := strings.Cut(lines.Text(), " ")
		if name, ok := wanted[metric]; ok {
			figure, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return fmt.Errorf("the metric %s: %w", metric, err)
			}
			counts[name] += figure
		}
	}
	return lines.Err()
}
