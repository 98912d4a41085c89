package api_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
)

// Access ends when it ends (contract, section 1): a call whose body is still on its way when
// its key ends, or loses a right, is answered as one that was begun afterwards.

// parked is a call whose credentials were found good, and whose body the server waits for.
type parked struct {
	sending
	rule rule
	body *io.PipeWriter
	rest []byte
}

// park begins a call of the matrix, and returns when the server reads its body.
func (m *matrix) park(caller *person, r rule, x targets) *parked {
	m.t.Helper()
	p := &parked{rule: r}
	reader, writer := io.Pipe()
	p.body = writer
	reached := make(chan struct{})
	method, path := r.address(x)
	options := append(r.options(x), func(r *http.Request) {
		if r.Body == nil {
			jsonBody(fields{})(r)
		}
		content, err := io.ReadAll(r.Body)
		if err != nil {
			m.t.Fatal(err)
		}
		p.rest, r.Body, r.GetBody = content, reader, nil
		r.Header.Set("Expect", "100-continue")
		*r = *r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
			Got100Continue: func() { close(reached) }}))
	})
	p.sending = caller.start(method, path, options...)
	select {
	case <-reached:
	case got := <-p.done:
		if got.err != nil {
			m.t.Fatal(got.err)
		}
		m.t.Fatalf("%s is answered %d %s before its body was sent", r.route, got.answer.StatusCode, got.answer.content)
	case <-time.After(patience):
		m.t.Fatalf("%s does not wait for its body", r.route)
	}
	return p
}

// goOn sends the body, and returns the answer.
func (p *parked) goOn() *answer {
	go func() {
		_, err := io.Copy(p.body, bytes.NewReader(p.rest))
		p.body.CloseWithError(err)
	}()
	return p.answer()
}

// endings are the ways in which access ends. Each gets somebody who administers the
// organization, and returns what that one calls with, and what ends it.
var endings = map[string]func(m *matrix, p *person) (caller *person, end func()){
	"revoked": func(_ *matrix, p *person) (*person, func()) {
		other := p.withKey(p.post("/v2/user/me/key", fields{"kind": "administrative"}).reply())
		return other, func() { p.delete("/v2/user/me/key/" + other.key).want(204) }
	},
	"rotated without grace": func(_ *matrix, p *person) (*person, func()) {
		other := p.withKey(p.post("/v2/user/me/key", fields{"kind": "administrative"}).reply())
		return other, func() { p.post("/v2/user/me/key/"+other.key+"/rotate", fields{"grace": 0}).want(200) }
	},
	"expired": func(m *matrix, p *person) (*person, func()) {
		other := p.withKey(p.post("/v2/user/me/key", fields{"kind": "administrative", "expires_in": 3600}).reply())
		return other, func() { m.clock.Advance(2 * time.Hour) }
	},
	"signed out": func(_ *matrix, p *person) (*person, func()) {
		other := p.elevated()
		return other, func() { other.delete("/v2/session").want(204) }
	},
	"session idle": func(m *matrix, p *person) (*person, func()) {
		other := p.elevated()
		return other, func() { m.clock.Advance(model.SessionIdle + time.Minute) }
	},
	"session that issued the key idle": func(m *matrix, p *person) (*person, func()) {
		other := p.withKey(p.elevated().post("/v2/user/me/key", fields{"kind": "administrative"}).reply())
		return other, func() { m.clock.Advance(model.SessionIdle + time.Minute) }
	},
	"issuer of the key revoked": func(_ *matrix, p *person) (*person, func()) {
		parent := p.withKey(p.post("/v2/user/me/key", fields{"kind": "administrative"}).reply())
		other := p.withKey(parent.post("/v2/user/me/key", fields{"kind": "administrative"}).reply())
		return other, func() { p.delete("/v2/user/me/key/" + parent.key).want(204) }
	},
	"password changed": func(m *matrix, p *person) (*person, func()) {
		other := p.elevated()
		return other, func() { m.operator.post(p.path("/password"), fields{"password": "another password"}).want(204) }
	},
	"disabled": func(m *matrix, p *person) (*person, func()) {
		return p, func() { m.operator.post(p.path("/disable"), nil).want(204) }
	},
	"erased": func(m *matrix, p *person) (*person, func()) {
		return p, func() {
			m.operator.do("DELETE", p.path(""), jsonBody(fields{"username": p.name})).want(204)
		}
	},
}

// elevated returns a session of the person, which may administer.
func (p *person) elevated() *person {
	session := p.byCookie(p.post("/v2/session", nil).want(204))
	return session.byCookie(session.post("/v2/session/elevate", nil, beside(p)).want(204))
}

// withBody are the calls of the matrix that take credentials and wait for a body: a GET does not, nor
// a DELETE whose body says nothing.
func withBody() []rule {
	return slices.DeleteFunc(slices.Clone(rules), func(r rule) bool {
		method, _, _ := strings.Cut(r.route, " ")
		return r.public || method == "GET" || method == "DELETE" && r.sent == nil
	})
}

// Every call with a body is refused with 401 when its credentials ended before the body
// had arrived, and changes nothing.
func TestACallEndsWithItsCredentials(t *testing.T) {
	t.Parallel()
	for name, ending := range endings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := startMatrix(t)
			caller, end := ending(m, m.mustCreateAdmin(m.org, "ending"))
			calls := m.parkAll(caller)
			end()
			before := m.told()
			for _, p := range calls {
				if got := p.goOn(); got.StatusCode != 401 {
					t.Errorf("%s is answered %d %s, want 401", p.rule.route, got.StatusCode, got.content)
				}
			}
			if after := m.told(); after != before {
				t.Errorf("the calls changed something: it was\n%s, and is\n%s", before, after)
			}
		})
	}
}

// A call is answered by the rights that its caller has when the body has arrived.
func TestACallEndsWithItsRights(t *testing.T) {
	t.Parallel()
	const removed, member = 3, 5
	for name, c := range map[string]struct {
		column int
		end    func(m *matrix, p *person)
	}{
		"removed": {removed, func(m *matrix, p *person) {
			m.operator.delete(p.path("/organization/" + m.org)).want(204)
		}},
		"role lost": {member, func(m *matrix, p *person) {
			m.operator.delete(p.path("/organization/" + m.org + "/roles/admin")).want(204)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := startMatrix(t)
			p := m.mustCreateAdmin(m.org, "ending")
			calls := m.parkAll(p)
			c.end(m, p)
			slices.SortStableFunc(calls, func(a, b *parked) int { // signing out would end the others
				return cmp.Compare(strings.Count(a.rule.route, "logout"), strings.Count(b.rule.route, "logout"))
			})
			for _, call := range calls {
				want := strings.Fields(call.rule.want)[c.column-3]
				if got := call.goOn(); !call.rule.named && strconv.Itoa(got.StatusCode) != want {
					t.Errorf("%s is answered %d %s, want %s", call.rule.route, got.StatusCode, got.content, want)
				}
			}
		})
	}
}

// parkAll begins all calls of the matrix that have a body.
func (m *matrix) parkAll(caller *person) (calls []*parked) {
	m.t.Helper()
	for _, r := range withBody() {
		x := maps.Clone(m.standing)
		if r.fresh != nil {
			maps.Copy(x, r.fresh(m))
		}
		calls = append(calls, m.park(caller, r, x))
	}
	return calls
}

// told is what those whom the calls are about would hear and see of them.
func (m *matrix) told() string {
	m.t.Helper()
	var out strings.Builder
	for _, p := range []*person{m.recipient, m.sender, m.insider} {
		fmt.Fprintf(&out, "%s\n", p.get("/v2/events?limit=1000").content)
	}
	fmt.Fprintf(&out, "%s\n%s\n", m.operator.get("/v2/group/"+m.standing["group"]).content,
		m.operator.get("/v2/organization/"+m.org+"/member?page_size=200").content)
	return out.String()
}
