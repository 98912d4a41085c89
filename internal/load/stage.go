package load

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"signet/client"
)

// Target is the server under load.
type Target struct {
	BaseURL string // as clients have it

	// Key and Secret are an administrator's. An operator's are needed for people
	// whose calls and messages are not limited.
	Key, Secret string

	// Vendor is the prefix of the server's headers and the namespace of its types.
	// Empty: the server's defaults.
	VendorPrefix, VendorNamespace string

	// Servers and Database are the measured processes on this machine: those of the
	// server, and the postmaster of its PostgreSQL, which counts with all of its
	// children.
	Servers  []int
	Database int

	// Nodes are the base URLs of all servers that share the store; the calls that are measured go
	// to them in turn, by connection. None: all go to BaseURL, as setting up and streams always do.
	Nodes []string

	// Floor, where there is one, is measured right before and right after each plan,
	// and put beside its result.
	Floor *FloorServer

	// Counters, where it is set, is called as a measurement begins and as it ends.
	// Result.Counts has by how much each counter grew for an operation.
	Counters func() Counts

	// Gauges, where it is set, is called with each sample that a plan wants. Sample.Gauges has
	// what it returned.
	Gauges func() Counts

	// Keep leaves what a run made where it is: the server is there for it alone,
	// and erasing it would be measured by the next run.
	Keep bool
}

// stage is what a run has on the server: an organization with people of its own.
type stage struct {
	target       *Target
	base         *url.URL // ends with /v2
	admin        *client.Client
	key          string // of admin, where it was made for this run
	name         string // of the organization
	organization string
	operator     bool // the people's limits are off

	mu     sync.Mutex // guards all below
	people []*person  // with a key
	made   int        // people, with and without
}

// person is an account of the run. Those without a key are addressed only.
type person struct {
	token         string
	key           string
	authorization string
}

const (
	// keyLife is how long the keys of a run are valid at the most, in case that it
	// cannot revoke them.
	keyLife = 24 * time.Hour
	// setupAtOnce is how many calls a setup has under way.
	setupAtOnce = 16
	// strikeTime is how long removing everything may take.
	strikeTime = 2 * time.Minute
)

// newStage makes an organization. An operator's key is exchanged for one without
// limits, so that many people can be made quickly. An interruption waits for what is being
// made: what is not known could not be removed.
func newStage(ctx context.Context, t *Target) (*stage, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), strikeTime)
	defer cancel()
	s := &stage{target: t, name: "signet bench " + rand.Text()[:10]}
	admin, err := s.connect(t.Key, t.Secret)
	if err != nil {
		return nil, err
	}
	s.admin = admin
	if s.base, err = url.Parse(admin.BaseURL()); err != nil {
		return nil, err
	}
	key, err := admin.CreateKey(ctx, "me", client.NewKey{
		Kind: client.AdministrativeKey, ExpiresIn: keyLife, RequestsPerSecond: new(0), MessagesPerDay: new(0),
	})
	switch {
	case errors.Is(err, client.ErrForbidden): // an administrator of organizations
	case err != nil:
		return nil, fmt.Errorf("issue a key for the run: %w", err)
	default:
		s.operator, s.key = true, key.APIKey
		if s.admin, err = s.connect(key.APIKey, key.APISecret); err != nil {
			return nil, err
		}
	}
	s.organization, err = s.admin.CreateOrganization(ctx, s.name, client.OrganizationSettings{})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make an organization: %w", err), s.strike(ctx))
	}
	return s, nil
}

func (s *stage) connect(key, secret string) (*client.Client, error) {
	return client.New(s.target.BaseURL, key, secret, client.WithUserAgent("signet-bench"),
		client.WithVendor(or(s.target.VendorPrefix, "TT"), or(s.target.VendorNamespace, "tigertext")))
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// hire makes people with keys and empty queues.
func (s *stage) hire(ctx context.Context, n int) ([]*person, error) {
	people := make([]*person, n)
	err := together(ctx, n, setupAtOnce, func(ctx context.Context, i int) (err error) {
		people[i], err = s.hireOne(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return people, s.clear(ctx, people)
}

func (s *stage) hireOne(ctx context.Context) (*person, error) {
	user := s.nextUser()
	user.IssueKey = !s.operator
	made, err := s.admin.CreateUser(ctx, s.organization, user)
	if err != nil {
		return nil, fmt.Errorf("make a user: %w", err)
	}
	p := &person{token: made.Token, key: made.APIKey}
	secret := made.APISecret
	if s.operator {
		key, err := s.admin.CreateKey(ctx, made.Token,
			client.NewKey{ExpiresIn: keyLife, RequestsPerSecond: new(0), MessagesPerDay: new(0)})
		if err != nil {
			return nil, fmt.Errorf("issue a user's key: %w", err)
		}
		p.key, secret = key.APIKey, key.APISecret
	}
	p.authorization = basic(p.key, secret)
	s.mu.Lock()
	s.people = append(s.people, p)
	s.mu.Unlock()
	return p, nil
}

func basic(key, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(key+":"+secret))
}

// fill makes people without keys.
func (s *stage) fill(ctx context.Context, n int) ([]*person, error) {
	people := make([]*person, n)
	err := together(ctx, n, setupAtOnce, func(ctx context.Context, i int) error {
		made, err := s.admin.CreateUser(ctx, s.organization, s.nextUser())
		if err != nil {
			return fmt.Errorf("make a user: %w", err)
		}
		people[i] = &person{token: made.Token}
		return nil
	})
	return people, err
}

// Names of people: enough for searches to find some and not all.
var (
	firstNames = strings.Fields("Alice Amir Beatrice Boris Carla Chen David Dana Elena Emil Fatima Felix Grace Hanna " +
		"Ivan Jonas Julia Karim Lea Marta Nils Olga Paul Rosa Samuel Tara")
	lastNames = strings.Fields("Abbott Adler Baker Brandt Castro Conti Dupont Duran Evans Fischer Garcia Haddad Hansen " +
		"Ibsen Jensen Keller Kovacs Larsen Lopez Meyer Moreau Novak Olsen Petrov Rossi Sato Schmidt Tanaka Ueda Vogel " +
		"Weber Young Zhou")
)

// nextUser names a person. Addresses are unique on a platform, so they contain the
// run's own mark.
func (s *stage) nextUser() client.NewUser {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.made
	s.made++
	mark := strings.ToLower(s.name[len(s.name)-10:])
	return client.NewUser{
		Username:  fmt.Sprintf("bench-%s-%d", mark, n),
		FirstName: firstNames[n%len(firstNames)], LastName: lastNames[n/len(firstNames)%len(lastNames)],
	}
}

// clear empties people's queues.
func (s *stage) clear(ctx context.Context, people []*person) error {
	return s.each(ctx, people, func(ctx context.Context, c *connection, p *person) error {
		return c.call(ctx, newRequest(p, http.MethodDelete, s.url("events", ""), ""))
	})
}

// each runs fn for people, some at once, each time on a connection that no other
// call is on.
func (s *stage) each(ctx context.Context, people []*person,
	fn func(ctx context.Context, c *connection, p *person) error) error {
	connections := make(chan *connection, setupAtOnce)
	for range setupAtOnce {
		connections <- newConnection(readBuffer)
	}
	defer func() {
		for range setupAtOnce {
			(<-connections).close()
		}
	}()
	return together(ctx, len(people), setupAtOnce, func(ctx context.Context, i int) error {
		c := <-connections
		defer func() { connections <- c }()
		return fn(ctx, c, people[i])
	})
}

// url returns an address of the interface; the path is below /v2.
func (s *stage) url(path, query string) *url.URL {
	u := s.base.JoinPath(path)
	u.RawQuery = query
	return u
}

// header returns the name of one of the vendor's headers.
func (s *stage) header(name string) string { return or(s.target.VendorPrefix, "TT") + "-X-" + name }

// strike removes what the run made: the keys are revoked and the organization is
// deleted, with its messages, groups and memberships. The accounts stay, in no
// organization and without keys: the run does not erase them. It works after ctx
// has ended too.
func (s *stage) strike(ctx context.Context) error {
	if s.target.Keep {
		return s.admin.Close()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), strikeTime)
	defer cancel()
	var problems []error
	s.mu.Lock()
	people := s.people
	s.mu.Unlock()
	problems = append(problems, together(ctx, len(people), setupAtOnce, func(ctx context.Context, i int) error {
		if err := s.admin.RevokeKey(ctx, people[i].token, people[i].key); err != nil {
			return fmt.Errorf("revoke a key of the run: %w", err)
		}
		return nil
	}))
	if s.organization != "" {
		if err := s.admin.DeleteOrganization(ctx, s.organization, s.name); err != nil {
			problems = append(problems, fmt.Errorf("delete the organization %q (%s): %w", s.name, s.organization, err))
		}
	}
	if s.key != "" {
		if err := s.admin.RevokeKey(ctx, "me", s.key); err != nil {
			problems = append(problems, fmt.Errorf("revoke the run's own key: %w", err))
		}
	}
	return errors.Join(append(problems, s.admin.Close())...)
}
