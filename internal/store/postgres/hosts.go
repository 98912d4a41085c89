package postgres

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// silence is how long an answer may be due before the engine asks whether another server lets write. A healthy
	// transaction is over long before; one that waits for a lock may take longer, and is left alone.
	silence = 2 * time.Second

	// questionTimeout bounds how long a host is asked. One that does not answer is asked again.
	questionTimeout = time.Second

	// lookEvery is how often the engine looks for silent connections, and asks while there are some; livingFor is how
	// long it does not ask again after the server that is silent proved to be the one that lets write.
	lookEvery = 250 * time.Millisecond
	livingFor = 5 * time.Second
)

// errShunned says that a server was given up a moment ago.
var errShunned = errors.New("it did not answer, and another server lets write")

// hosts are the hosts of a database's address. One of them lets write, and which one may change: a machine that is
// lost, stands still or is cut off ends no connection, and the answers that it owes would be waited for until they time
// out.
type hosts struct {
	each  []*pgconn.Config // one for each host
	first atomic.Int32     // of them, the one to try before the others
	links *links
	log   *slog.Logger
}

// newHosts takes the hosts from a finished configuration.
func newHosts(config *pgconn.Config, links *links, log *slog.Logger) *hosts {
	h := &hosts{links: links, log: log}
	for _, entry := range entries(config) {
		last := len(h.each) - 1
		if last >= 0 && h.each[last].Host == entry.Host && h.each[last].Port == entry.Port { // once more, without TLS
			h.each[last].Fallbacks = append(h.each[last].Fallbacks, entry)
			continue
		}
		one := config.Copy()
		one.Host, one.Port, one.TLSConfig, one.Fallbacks = entry.Host, entry.Port, entry.TLSConfig, nil
		one.ConnectTimeout = questionTimeout
		h.each = append(h.each, one)
	}
	return h
}

// entries are the hosts of a configuration, in the order in which they are tried.
func entries(config *pgconn.Config) []*pgconn.FallbackConfig {
	first := &pgconn.FallbackConfig{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}
	return append([]*pgconn.FallbackConfig{first}, config.Fallbacks...)
}

// order puts the host first that was found to let write: another one may keep whoever asks it waiting.
func (h *hosts) order(_ context.Context, config *pgx.ConnConfig) error {
	best := h.each[h.first.Load()]
	rank := func(entry *pgconn.FallbackConfig) int {
		if entry.Host == best.Host && entry.Port == best.Port {
			return 0
		}
		return 1
	}
	all := entries(&config.Config)
	slices.SortStableFunc(all, func(a, b *pgconn.FallbackConfig) int { return rank(a) - rank(b) })
	config.Host, config.Port, config.TLSConfig, config.Fallbacks = all[0].Host, all[0].Port, all[0].TLSConfig, all[1:]
	return nil
}

// watch gives up connections to a server that owes answers once another one lets write, until ctx ends, and then calls
// left. A server that is silent and alone is waited for: nobody else can say what became of a COMMIT there.
func (h *hosts) watch(ctx context.Context, left func()) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var quiet time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if now.Before(quiet) {
				continue
			}
		}
		silent := h.links.silent(silence)
		if len(silent) == 0 {
			continue
		}
		alive := h.ask(ctx)
		if len(alive) == 0 {
			continue
		}
		if h.links.giveUp(silent, alive) > 0 {
			h.first.Store(int32(alive[0].at))
			h.log.Warn("the database server does not answer, and another one lets write: going on there",
				"address", alive[0].address)
			left()
		} else {
			quiet = time.Now().Add(livingFor)
		}
	}
}

// living is a server that lets write.
type living struct {
	at      int // which host it is
	address string
	life    string
}

// ask returns the servers that let write, the quickest first. All addresses of all hosts are asked at once: one that
// does not answer keeps nobody from another one of the same name. A server that is not much slower than the first is
// heard too, for there are databases of which every host lets write.
func (h *hosts) ask(ctx context.Context) (found []living) {
	ctx, cancel := context.WithTimeout(ctx, questionTimeout)
	defer cancel()
	answers := make(chan living)
	var asking sync.WaitGroup
	for at, config := range h.each {
		asking.Go(func() {
			for _, one := range addressesOf(ctx, config) {
				asking.Go(func() { askOne(ctx, one, at, answers) })
			}
		})
	}
	go func() {
		asking.Wait()
		close(answers)
	}()
	soon := time.AfterFunc(questionTimeout, cancel)
	defer soon.Stop()
	for one := range answers {
		if found = append(found, one); len(found) == 1 {
			soon.Reset(questionTimeout / 4)
		}
	}
	return found
}

// addressesOf returns a configuration for each address of a host.
func addressesOf(ctx context.Context, config *pgconn.Config) (each []*pgconn.Config) {
	if network, _ := pgconn.NetworkAddress(config.Host, config.Port); network == "unix" {
		return []*pgconn.Config{config}
	}
	addresses, err := config.LookupFunc(ctx, config.Host)
	if err != nil {
		return nil // a host without an address says as little as one that is silent
	}
	for _, address := range addresses {
		one := config.Copy()
		one.LookupFunc = func(context.Context, string) ([]string, error) { return []string{address}, nil }
		each = append(each, one)
	}
	return each
}

// askOne answers where a server lets write, and says so in time.
func askOne(ctx context.Context, config *pgconn.Config, at int, answers chan<- living) {
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return
	}
	defer conn.Close(ctx)
	if l := linkOf(conn); l != nil && l.life.Load() != nil {
		answers <- living{at, l.RemoteAddr().String(), *l.life.Load()}
	}
}
