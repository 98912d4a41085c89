package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/webpush/webpushtest"
)

// browser is one of a person's, which is told of messages by a push service.
type browser struct {
	*webpushtest.Browser
	p    *person // as it calls
	path string  // of its endpoint
}

// mustSubscribe has a new browser of the caller's told.
func (p *person) mustSubscribe(service *webpushtest.Service, path string) *browser {
	p.t.Helper()
	b := &browser{webpushtest.NewBrowser(p.t), p, path}
	p.post("/v2/user/me/push", b.subscription(service)).want(204)
	return b
}

// subscription is what a browser's PushSubscription has.
func (b *browser) subscription(service *webpushtest.Service) fields {
	p256dh, auth := b.Keys()
	return fields{"endpoint": service.URL + b.path, "expirationTime": nil,
		"keys": fields{"p256dh": p256dh, "auth": auth}}
}

// mustPush does what is to be pushed by now.
func (s *server) mustPush() {
	s.t.Helper()
	if err := s.work.Settle(s.t.Context(), store.FanOut, store.PushMessage); err != nil {
		s.t.Fatal(err)
	}
}

// pushes is what is noted and not done yet.
func (s *server) pushes() (n int) {
	s.t.Helper()
	err := s.store.View(s.t.Context(), func(tx *store.Tx) error {
		_, err := tx.One(`SELECT COUNT(*) FROM jobs WHERE kind = ?`, []any{int(store.PushMessage)}, &n)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// wantPushed pushes what is due, and compares what browsers read of it, each "/path payload".
func (s *server) wantPushed(when string, service *webpushtest.Service, browsers []*browser,
	want ...string) []webpushtest.Push {
	s.t.Helper()
	s.mustPush()
	pushes := service.Take()
	var got []string
	for _, push := range pushes {
		i := slices.IndexFunc(browsers, func(b *browser) bool { return b.path == push.Path })
		if i < 0 {
			s.t.Fatalf("%s: somebody else was told: %s", when, push.Path)
		}
		text, err := browsers[i].Open(push.Body)
		if err != nil {
			s.t.Fatalf("%s: %v", when, err)
		}
		got = append(got, push.Path+" "+text)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.t.Errorf("%s: %q was pushed, want %q", when, got, want)
	}
	return pushes
}

// unread is what is pushed of a message to a browser.
func (b *browser) unread(priority bool, count int) string {
	return fmt.Sprintf(`%s {"priority":%t,"unread_count":%d}`, b.path, priority, count)
}

func TestSubscriptions(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	service := webpushtest.NewService(t)
	c.mustHavePassword(c.bob)
	phone := c.bob.mustSignIn(header("User-Agent", "Mozilla/5.0 (Linux; Android 16) Chrome/150.0 Mobile"))
	if key := c.bob.get("/v2/push").reply().text("public_key"); len(key) != 87 {
		t.Errorf("the key is %q", key)
	}
	c.bob.get("/v2/user/me/push").reply().wantIs([]any{})
	one := phone.mustSubscribe(service, "/one")
	listed := phone.get("/v2/user/me/push").reply().list()
	if len(listed) != 1 {
		t.Fatalf("there are %v", listed)
	}
	listed[0].wantFields(fields{"host": "127.0.0.1", "device": "Chrome on Android", "current": true,
		"created_time": "2026-11-21T08:15:30.123Z"}, "last_success", "endpoint", "keys")
	c.bob.get("/v2/user/me/push").reply().list()[0].wantFields(nil, "current")
	c.alice.get("/v2/user/me/push").reply().wantIs([]any{})

	id := listed[0].text("id")
	c.alice.delete("/v2/user/me/push/" + id).wantMissing()
	c.alice.delete("/v2/user/me/push/nothing").wantMissing()
	c.clock.Advance(time.Minute)
	phone.post("/v2/user/me/push", one.subscription(service)).want(204)
	again := phone.get("/v2/user/me/push").reply().list()
	if len(again) != 1 {
		t.Fatalf("the same browser has %v, and had %v", again, listed)
	}
	again[0].wantFields(fields{"id": id, "created_time": "2026-11-21T08:16:30.123Z"})
	// Somebody else signs in with the browser.
	c.alice.post("/v2/user/me/push", one.subscription(service)).want(204)
	phone.get("/v2/user/me/push").reply().wantIs([]any{})
	c.alice.delete("/v2/user/me/push/" + c.alice.get("/v2/user/me/push").reply().list()[0].text("id")).want(204)
	c.alice.get("/v2/user/me/push").reply().wantIs([]any{})

	for i := range 21 {
		c.clock.Advance(time.Second)
		c.bob.mustSubscribe(service, fmt.Sprintf("/many/%d", i))
	}
	if all := c.bob.get("/v2/user/me/push").reply().list(); len(all) != 20 ||
		all[0].text("created_time") != c.clock.Now().Add(-19*time.Second).UTC().Format("2006-01-02T15:04:05.000Z") {
		t.Errorf("there are %d, the oldest %s", len(all), all[0])
	}
}

func TestWhatIsNoSubscriptionIsRefused(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	service := webpushtest.NewService(t)
	good := (&browser{webpushtest.NewBrowser(t), c.bob, "/x"}).subscription(service)
	keys := good["keys"].(fields)
	for _, test := range []struct {
		code, field string
		sent        fields
	}{
		{"endpoint_required", "endpoint", fields{"keys": keys}},
		{"keys_required", "keys", fields{"endpoint": service.URL}},
		{"push_endpoint", "endpoint", fields{"endpoint": "push", "keys": keys}},
		{"push_endpoint", "endpoint", fields{"endpoint": service.URL + "/" + strings.Repeat("x", 2048), "keys": keys}},
		{"push_keys", "keys", fields{"endpoint": service.URL, "keys": fields{"p256dh": "x", "auth": keys["auth"]}}},
		{"push_keys", "keys", fields{"endpoint": service.URL, "keys": fields{"p256dh": keys["p256dh"], "auth": "x"}}},
		{"push_keys", "keys", fields{"endpoint": service.URL, "keys": fields{}}},
		{"push_host", "endpoint", fields{"endpoint": "https://push.example.com/x", "keys": keys}},
		{"push_host", "endpoint", fields{"endpoint": "https://169.254.169.254/latest", "keys": keys}},
		{"push_host", "endpoint", fields{"endpoint": "https://2130706433/x", "keys": keys}},
		{"push_host", "endpoint", fields{"endpoint": "https://user:secret@127.0.0.1/x", "keys": keys}},
		{"push_host", "endpoint", fields{"endpoint": "file://127.0.0.1/x", "keys": keys}},
	} {
		c.bob.post("/v2/user/me/push", test.sent).wantError(400, test.code).wantField(test.field)
	}
	c.bob.get("/v2/user/me/push").reply().wantIs([]any{})

	off := startClinic(t, func(f *figures) { f.push = nil })
	off.bob.get("/v2/push").wantMissing()
	off.bob.post("/v2/user/me/push", good).wantMissing()
	off.bob.get("/v2/user/me/push").reply().wantIs([]any{})
}

func TestPushesTellNothingButACount(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	service := webpushtest.NewService(t)
	b := c.bob.mustSubscribe(service, "/b")
	sizes, topics := map[int]bool{}, map[string]bool{}
	for i, test := range []struct {
		more         []any
		ttl, urgency string
	}{
		{[]any{"ttl", 1}, "60", "normal"},
		{[]any{"ttl", -1}, "2419200", "normal"},
		{[]any{"ttl", 525600, "priority", 1}, "2419200", "high"},
		{[]any{"ttl", 60, "priority", -1}, "3600", "normal"},
	} {
		c.clock.Advance(10 * time.Second)
		c.alice.mustSend(c.bob.token, strings.Repeat("secret ", 1+1000*i), test.more...)
		pushes := c.wantPushed("", service, []*browser{b}, b.unread(test.urgency == "high", i+1))
		if len(pushes) != 1 {
			t.Fatalf("%d were pushed", len(pushes))
		}
		p := pushes[0]
		sizes[len(p.Body)], topics[p.Header.Get("Topic")] = true, true
		for name, want := range map[string]string{"Ttl": test.ttl, "Urgency": test.urgency, "Content-Encoding": "aes128gcm",
			"Content-Type": "application/octet-stream", "User-Agent": "signet"} {
			if got := p.Header.Get(name); got != want {
				t.Errorf("%v: %s is %q, want %q", test.more, name, got, want)
			}
		}
		if got := p.Header.Get("Authorization"); !strings.HasPrefix(got, "vapid t=") ||
			!strings.HasSuffix(got, ", k="+c.bob.get("/v2/push").reply().text("public_key")) {
			t.Errorf("the server shows itself with %q", got)
		}
		all := fmt.Sprint(p.Header, string(p.Body))
		for _, told := range []string{c.bob.token, c.alice.token, c.org, "alice", "bob", "secret", "Clinic"} {
			if strings.Contains(all, told) {
				t.Errorf("a push tells %q", told)
			}
		}
	}
	if len(sizes) != 1 || len(topics) != 1 || len(slices.Collect(maps.Keys(topics))[0]) != 32 {
		t.Errorf("pushes have the sizes %v and topics %v, want one of each", sizes, topics)
	}
}

func TestWhatPushServicesAnswer(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	service := webpushtest.NewService(t)
	browsers := []*browser{c.bob.mustSubscribe(service, "/b")}
	b := browsers[0]
	status, header := 503, http.Header{"Retry-After": {"30"}}
	service.Answer(func(webpushtest.Push) (int, http.Header) { return status, header })
	c.alice.mustSend(c.bob.token, "hello")
	c.wantPushed("it is to wait", service, browsers, b.unread(false, 1))
	c.clock.Advance(29 * time.Second)
	c.alice.mustSend(c.bob.token, "hello")
	c.wantPushed("it waits, and others too", service, browsers)
	c.clock.Advance(time.Second)
	status, header = 201, nil
	c.wantPushed("it is tried again, once for both", service, browsers, b.unread(false, 2))
	if n := c.pushes(); n > 0 {
		t.Errorf("%d jobs are left", n)
	}

	c.clock.Advance(time.Minute)
	status = 400
	c.alice.mustSend(c.bob.token, "hello")
	c.wantPushed("what is refused is not tried again", service, browsers, b.unread(false, 3))
	c.clock.Advance(time.Hour)
	c.wantPushed("later neither", service, browsers)
	if faults := c.log.Take(); !strings.Contains(faults, "a push service does not take what is pushed") ||
		strings.Contains(faults, "/b") {
		t.Errorf("the log says %q", faults)
	}

	status = 500
	c.alice.mustSend(c.bob.token, "hello", "ttl", 1440)
	tries := 0
	for range 48 {
		c.mustPush()
		tries += len(service.Take())
		c.clock.Advance(time.Hour)
	}
	if n := c.pushes(); tries != 12 || n > 0 {
		t.Errorf("it was tried %d times, and %d jobs are left", tries, n)
	}

	for _, gone := range []int{404, 410} {
		status = gone
		c.bob.mustSubscribe(service, fmt.Sprintf("/%d", gone))
		c.clock.Advance(time.Minute)
		c.alice.mustSend(c.bob.token, "hello")
		c.mustPush()
		service.Take()
		c.bob.get("/v2/user/me/push").reply().wantIs([]any{})
	}
}

func TestSubscriptionsEndWithTheirSession(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	service := webpushtest.NewService(t)
	c.mustHavePassword(c.bob)
	for name, end := range map[string]func(session *person){
		"signing out": func(session *person) { session.delete("/v2/session").want(204) },
		"revoking":    func(session *person) { c.bob.delete(c.bob.path("/key/" + session.sessionKey())).want(204) },
		"a password": func(session *person) {
			c.operator.post(c.bob.path("/password"), fields{"password": password}).want(204)
		},
		"idleness": func(*person) {
			c.clock.Advance(13 * time.Hour)
			c.bob.get("/v2/user").want(200)
		},
	} {
		session := c.bob.mustSignIn()
		session.mustSubscribe(service, "/"+strings.ReplaceAll(name, " ", "-"))
		c.alice.mustSend(c.bob.token, "hello")
		c.mustPush()
		if n := len(service.Take()); n != 1 {
			t.Errorf("%s: before, %d were pushed", name, n)
		}
		end(session)
		c.clock.Advance(time.Minute)
		c.alice.mustSend(c.bob.token, "hello", "priority", 1)
		c.mustPush()
		if n := len(service.Take()); n != 0 {
			t.Errorf("%s: after it, %d were pushed", name, n)
		}
		c.mustKeepHouse()
		c.bob.get("/v2/user/me/push").reply().wantIs([]any{})
	}
	// A member that has left the organization is told nothing, not even of an earlier message.
	group := c.alice.mustCreateGroup("Ward", c.bob)
	c.bob.mustSubscribe(service, "/left")
	c.alice.mustSend(group, "hello")
	c.bob.post("/v2/group/"+group+"/members/remove", fields{"members": []string{c.bob.token}}).want(204)
	c.operator.delete(c.bob.path("/organization/" + c.org)).want(204)
	c.mustPush()
	if n := len(service.Take()); n != 0 {
		t.Errorf("who left was told %d times", n)
	}
}

func TestMessagesOfGroupsArePushed(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{0, 4} { // at once, and in pieces
		c := startClinic(t, func(f *figures) { f.rows = rows })
		service := webpushtest.NewService(t)
		people := c.mustCreateAll(c.org, "dora", "emil", "fred", "gina", "hans")
		group := c.alice.mustCreateGroup("Ward", append(people, c.bob)...)
		c.settle()
		var browsers []*browser
		var want []string
		for i, p := range people[:4] {
			b := p.mustSubscribe(service, fmt.Sprintf("/%d", i))
			browsers, want = append(browsers, b), append(want, b.unread(true, 1))
		}
		mine := c.alice.mustSubscribe(service, "/sender")
		c.alice.mustSend(group, "hello", "priority", 1)
		c.wantPushed(fmt.Sprintf("%d rows", rows), service, append(browsers, mine), want...)
		if n := c.pushes(); n > 0 {
			t.Errorf("%d jobs are left", n)
		}
	}
}

func TestSubscriptionsOfAScopeCountItsOrganizationAlone(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	service := webpushtest.NewService(t)
	other := c.mustCreateOrganization("Elsewhere")
	c.operator.mustJoin(other, c.bob)
	c.operator.mustJoin(other, c.alice)
	scoped := c.bob.withKey(c.bob.post(c.bob.path("/key"), fields{"organization": c.org}).reply())
	here, all := scoped.mustSubscribe(service, "/here"), c.bob.mustSubscribe(service, "/all")
	browsers := []*browser{here, all}
	if n := len(scoped.get("/v2/user/me/push").reply().list()); n != 1 {
		t.Errorf("the key of the scope sees %d", n)
	}
	if n := len(c.bob.get("/v2/user/me/push").reply().list()); n != 2 {
		t.Errorf("the account's own sees %d", n)
	}
	in := func(organization string) []any {
		return []any{"sender_organization", organization, "recipient_organization", organization}
	}
	c.alice.mustSend(c.bob.token, "there", in(other)...)
	c.wantPushed("elsewhere", service, browsers, all.unread(false, 1))
	c.clock.Advance(time.Minute)
	c.alice.mustSend(c.bob.token, "here", in(c.org)...)
	c.wantPushed("here", service, browsers, here.unread(false, 1), all.unread(false, 2))
}
