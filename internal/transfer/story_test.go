package transfer_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/config"
)

// story is an installation in which everything that there is has happened.
type story struct {
	*apptest.Cast
	t        *testing.T
	messages []string // ids
	groups   []string // tokens
	files    map[string][]byte
}

// embedded keeps a test on the embedded store, whichever the others run on.
func embedded(cfg *config.Config) { cfg.Database = "" }

func newStory(t *testing.T, changes ...func(*config.Config)) *story {
	t.Helper()
	changes = append([]func(*config.Config){embedded, func(c *config.Config) { c.Expiry.Sweep = 200 * time.Millisecond }},
		changes...)
	s := &story{Cast: apptest.Start(t, changes...).People(), t: t, files: map[string][]byte{}}
	s.tell()
	return s
}

func (s *story) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) send(from *apptest.Person, out client.Outgoing) string {
	s.t.Helper()
	sent, err := from.Client.Send(s.t.Context(), out)
	s.must(err)
	if !slices.Contains(s.messages, sent.MessageID) {
		s.messages = append(s.messages, sent.MessageID)
	}
	return sent.MessageID
}

// sendFile sends a file that no other is like.
func (s *story) sendFile(from *apptest.Person, to string, size int) string {
	s.t.Helper()
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(len(s.files)), byte(size)}).Read(content) // never fails
	id := s.send(from, client.Outgoing{Recipient: to, Body: "file", TTL: client.Forever,
		Attachment: &client.Upload{Name: "scan.bin", ContentType: "application/x-scan", Content: bytes.NewReader(content)}})
	s.files[id] = content
	return id
}

func newPicture(seed string) *client.Upload {
	return &client.Upload{Name: "p.png", Content: strings.NewReader("\x89PNG\r\n\x1a\n" + strings.Repeat(seed, 100))}
}

// tell makes it all happen.
func (s *story) tell() {
	s.t.Helper()
	ctx := s.t.Context()
	alice, bob, carol, dana := s.Alice, s.Bob, s.Carol, s.Dana

	// Messages in every state.
	s.send(alice, client.Outgoing{Recipient: "bob", Body: "Neu: Grüße, 你好", TTL: 90, Priority: 1})
	delivered := s.send(alice, client.Outgoing{Recipient: "bob", Body: "delivered"})
	read := s.send(alice, client.Outgoing{Recipient: "carol", Body: "read",
		Data: []client.DataItem{{MimeType: "application/json", Namespace: "n", Payload: `{"a":1}`}}})
	s.must(bob.Client.MarkDelivered(ctx, delivered))
	s.must(carol.Client.MarkRead(ctx, read))
	s.must(alice.Client.Recall(ctx, s.send(alice, client.Outgoing{Recipient: "bob", Body: "recalled"})))
	gone := true
	// It stays unread: read, it would be gone after a minute, before or after what is compared.
	s.send(alice, client.Outgoing{Recipient: "bob", Body: "delete on read", DOR: &gone})
	s.send(alice, client.Outgoing{Recipient: "bob", Body: "once", RequestID: "the-one"})
	s.send(bob, client.Outgoing{Recipient: "bob", Body: "to myself"})
	scan := s.sendFile(alice, "bob", 300_000)
	s.sendFile(bob, "alice", 0)
	forwarded, err := bob.Client.Forward(ctx, scan, client.Forwarding{Recipient: "carol"})
	s.must(err)
	s.messages = append(s.messages, forwarded.MessageID)
	s.files[forwarded.MessageID] = s.files[scan]

	// Groups.
	group, err := alice.Client.CreateGroup(ctx,
		client.NewGroup{Name: "Surgery", Members: []string{"bob"}, ReplayHistory: true, Avatar: newPicture("g"),
			Description: "the night shift", Metadata: client.Metadata{"ward": "3"}})
	s.must(err)
	public, err := bob.Client.CreateGroup(ctx, client.NewGroup{Name: "Canteen", IsPublic: true})
	s.must(err)
	deleted, err := bob.Client.CreateGroup(ctx, client.NewGroup{Name: "Deleted", Members: []string{"carol"}})
	s.must(err)
	s.groups = []string{group.Token, public.Token, deleted.Token}
	s.send(alice, client.Outgoing{Recipient: group.Token, Body: "before Carol"})
	s.send(bob, client.Outgoing{Recipient: deleted.Token, Body: "in a group that goes"})
	s.must(alice.Client.AddMembers(ctx, group.Token, "carol"))
	s.sendFile(carol, group.Token, 6<<20)
	s.must(carol.Client.AddMembers(ctx, public.Token, "carol"))
	s.must(alice.Client.RemoveMembers(ctx, group.Token, "bob"))
	s.must(bob.Client.DeleteGroup(ctx, deleted.Token))

	// People.
	status, name := "busy", "Bob the Builder"
	s.must(bob.Client.UpdateProfile(ctx, client.Profile{Status: &status, DisplayName: &name, Avatar: newPicture("b")}))
	s.must(s.Operator.Client.SetPassword(ctx, carol.Token, "", "a password of one's own"))
	s.must(dana.Client.In(s.Organization).SetMetadata(ctx, carol.Token,
		client.Metadata{"feature_service": "role", "pager": "17"}))
	s.must(alice.Client.MuteUser(ctx, bob.Token, s.Organization, time.Hour))
	s.must(alice.Client.MuteGroup(ctx, group.Token, s.Organization, 2*time.Hour))
	s.must(alice.Client.In(s.Organization).AddToRoster(ctx, carol.Token, client.KindAccount))
	s.must(bob.Client.In(s.Organization).RemoveFromRoster(ctx, alice.Token, client.KindAccount))
	s.send(alice, client.Outgoing{Recipient: "bob", Body: "after Bob removed it"})
	_, err = carol.Client.GrantRole(ctx, carol.Token, s.Organization, client.RoleAdmin) // asked for
	s.must(err)
	_, err = dana.Client.GrantRole(ctx, alice.Token, s.Organization, "help_desk")
	s.must(err)

	// Keys.
	extra, err := alice.Client.CreateKey(ctx, alice.Token, client.NewKey{})
	s.must(err)
	_, err = alice.Client.RotateKey(ctx, alice.Token, extra.APIKey, client.Rotation{})
	s.must(err)
	revoked, err := alice.Client.CreateKey(ctx, alice.Token, client.NewKey{})
	s.must(err)
	s.must(alice.Client.RevokeKey(ctx, alice.Token, revoked.APIKey))

	// Organizations.
	longest, off := 60, false
	other, err := s.Operator.Client.CreateOrganization(ctx, "Clinic",
		client.OrganizationSettings{MaxTTL: &longest, Forward: &off, Other: map[string]any{"color": "green"}})
	s.must(err)
	_, err = s.Operator.Client.AddToOrganization(ctx, alice.Token, other, client.Membership{Title: "Consultant"})
	s.must(err)
	closed, err := s.Operator.Client.CreateOrganization(ctx, "Closed", client.OrganizationSettings{})
	s.must(err)
	s.must(s.Operator.Client.DeleteOrganization(ctx, closed, "Closed"))
}

// answers is what a server says to everybody about everything.
type answers map[string]string

// What differs between two servers with the same data, and says nothing.
var (
	ofTheServer = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	lastUse     = regexp.MustCompile(`"last_used_(time|address)":"[^"]*"`)
	ofTheEpoch  = regexp.MustCompile(`"event_id":"[^-"]+-`)
)

// ask takes the answers of a server that has the story's data. Positions are compared,
// and epochs where the two servers have to have one.
func (s *story) ask(t *testing.T, from *apptest.Server, epochs bool) answers {
	t.Helper()
	h := from.NewHTTPClient()
	out := answers{}
	for _, p := range []*apptest.Person{s.Alice, s.Bob, s.Carol, s.Dana, s.Operator} {
		get := func(method, target, body string) string {
			t.Helper()
			r := apptest.Request{Method: method, Target: target, Body: body, Header: [][2]string{
				{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(p.Key+":"+p.Secret))},
				{"Request-ID", "same"}}}
			if body != "" {
				r.Header = append(r.Header, [2]string{"Content-Type", "application/json"})
			}
			if strings.Contains(target, "metadata/") || strings.Contains(target, "search") {
				r.Header = append(r.Header, [2]string{"TT-X-Organization-Key", s.Organization})
			}
			answer := from.MustSend(t, h, r)
			text := lastUse.ReplaceAllString(ofTheServer.ReplaceAllString(answer.Body, "<server>"), "<used>")
			if !epochs {
				text = ofTheEpoch.ReplaceAllString(text, `"event_id":"<epoch>-`)
			}
			out[p.Name+" "+method+" "+target+" "+body] = answer.Header.Get("ETag") + " " + text
			return answer.Body
		}
		get("GET", "/v2/user", "")
		get("GET", "/v2/events?limit=1000", "")
		get("GET", "/v2/roster?render_metadata=true", "")
		get("GET", "/v2/mute", "")
		get("GET", "/v2/user/me/message/unread_count", "")
		get("GET", "/v2/user/"+p.Token+"/organization", "")
		get("GET", "/v2/user/"+p.Token+"/key", "")
		get("GET", "/v2/user/"+p.Token+"/organization/"+s.Organization+"/roles", "")
		get("GET", "/v2/organization/"+s.Organization, "")
		get("POST", "/v2/search",
			`{"type":["account","group"],"bool":{"must":{"any":"b"}},"include_total":true,"render_metadata":true}`)
		for _, who := range []*apptest.Person{s.Alice, s.Bob, s.Carol} {
			if avatar := get("GET", "/v2/user/"+who.Token, ""); strings.Contains(avatar, "/v2/avatar/") {
				get("GET", "/v2/avatar/"+pictureOf(avatar), "")
			}
			get("GET", "/v2/metadata/"+who.Token, "")
		}
		for _, group := range s.groups {
			if avatar := get("GET", "/v2/group/"+group, ""); strings.Contains(avatar, "/v2/avatar/") {
				get("GET", "/v2/avatar/"+pictureOf(avatar), "")
			}
			get("GET", "/v2/group/"+group+"/members", "")
			get("GET", "/v2/metadata/"+group, "")
		}
		for _, id := range s.messages {
			get("GET", "/v2/message/"+id, "")
			get("GET", "/v2/message/"+id+"/status", "")
			get("GET", "/v2/message/"+id+"/attachment/1", "")
		}
	}
	return out
}

func pictureOf(user string) string {
	var answer struct{ Reply struct{ Avatar string } }
	_ = json.Unmarshal([]byte(user), &answer)
	return path.Base(answer.Reply.Avatar)
}

// wantSame reports where two servers answer differently.
func wantSame(t *testing.T, got, want answers) {
	t.Helper()
	if len(want) < 300 {
		t.Errorf("only %d answers were compared", len(want))
	}
	for _, question := range slices.Sorted(maps.Keys(want)) {
		if got[question] != want[question] {
			t.Errorf("%s:\n got %.2000s\nwant %.2000s", question, got[question], want[question])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d answers, want %d", len(got), len(want))
	}
}

// wantWritable reports where a server does not take new messages and acknowledgements.
func (s *story) wantWritable(t *testing.T, on *apptest.Server) {
	t.Helper()
	ctx := t.Context()
	alice, bob := on.As(s.Alice), on.As(s.Bob)
	before, err := bob.Client.Poll(ctx, client.PollOptions{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	sent, err := alice.Client.Send(ctx,
		client.Outgoing{Recipient: "bob", Body: "afterwards",
			Attachment: &client.Upload{Name: "a", Content: strings.NewReader("afterwards")}})
	if err != nil {
		t.Fatal(err)
	}
	after, err := bob.Client.Poll(ctx, client.PollOptions{Limit: 1000})
	if err != nil || len(after) != len(before)+1 {
		t.Fatalf("the queue has %d events after %d, error %v", len(after), len(before), err)
	}
	last := after[len(after)-1]
	if m, err := last.Message(); err != nil || m.MessageID != sent.MessageID {
		t.Errorf("the new message is not the last in the queue: %v, %v", m, err)
	}
	if err := bob.Client.Ack(ctx, last.ID); err != nil {
		t.Error(err)
	}
	again, err := alice.Client.Send(ctx, client.Outgoing{Recipient: "bob", Body: "once", RequestID: "the-one"})
	if err != nil || !again.Repeated {
		t.Errorf("a send under a Request-ID from before: %+v, error %v", again, err)
	}
}
