package clientreplay

import (
	"fmt"
	"testing"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/testenv"
)

// TestKotlin replays the Kotlin relay library, which looks recipients up, and
// goes through all pages of a search for the roles that it may write to.
func TestKotlin(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	const roles = 101 // two full pages, and one more
	server := apptest.Start(t, func(cfg *config.Config) { cfg.Limits.RequestsPerSecond = 0 })
	s := newClient(t, server.People(), dana) // a lookup takes the key of an administrator
	doc := server.MustCreate(s.cast.Organization,
		client.NewUser{DisplayName: "Doc", Emails: []string{"doc+test@example.com"}})
	s.names.Set("doc", doc.Token)
	admin := s.me.Client.In(s.cast.Organization)
	for i := range roles {
		made, err := admin.CreateUser(t.Context(), s.cast.Organization,
			client.NewUser{DisplayName: fmt.Sprintf("On Call %03d", i), Username: fmt.Sprintf("on-call-%03d", i)})
		s.must(err)
		s.must(admin.SetMetadata(t.Context(), made.Token, client.Metadata{"feature_service": "role"}))
	}
	docShape := `{"token":"<doc>","xmlns":"tigertext:entity:account","display_name":"Doc","first_name":"","last_name":"","username":"","avatar":"","status":"",
		"dnd":false,"dnd_text":"","emails":[{"address":"doc+test@example.com","verified":false}],"phones":[],"created_time":` + someTime + `,
		"title":"","department":"","organization_key":"<org>","organization_token":"<org>"}`
	sent := func(n, recipient, body, priority string) want {
		id := "m-out-" + n
		return want{status: 200, header: map[string]string{"TT-X-Message-Id": "<" + id + ">", "TT-X-Msg-Ttl": "43200"},
			reply: with(messageShape(id, "me", recipient, body), "priority", priority)}
	}
	page := func(first, n int, more bool) string {
		results := ""
		for i := range n {
			number := fmt.Sprintf("%03d", first+i)
			results += `,{"type":"tigertext:entity:account","organization_id":"<org>","entity":{"token":"<role ` + number +
				`>","xmlns":"tigertext:entity:account",
				"display_name":"On Call ` + number + `","first_name":"","last_name":"","username":"on-call-` + number +
				`","avatar":"","status":"","dnd":false,"dnd_text":"",
				"emails":[],"phones":[],"created_time":` + someTime +
				`,"title":"","department":"","organization_key":"<org>","organization_token":"<org>",
				"metadata":{"feature_service":"role"}}}`
		}
		continuation := ""
		if more {
			continuation = fmt.Sprintf(`,"continuation":"<page %d>"`, first+n)
		}
		return fmt.Sprintf(`{"results":[%s],"metadata":{"total_hits":%d,"first_hit":%d%s}}`, results[1:], roles, first,
			continuation)
	}
	group := groupShape("Cardiology", `["<me>","<bob>"]`, "2")
	rows := mustReadRecording(t, "kotlin.md")
	s.replay(rows, map[int]want{
		1: {status: 200, reply: bobShape},
		2: {status: 200, reply: docShape},
		3: sent("3", "bob", "bed 12", "1"),
		4: sent("4", "doc", "bed 13", "0"),
		5: {status: 200, reply: statusShape("m-out-3", "bob", "Read"), before: func() {
			s.must(s.cast.Bob.Client.MarkRead(t.Context(), s.id("m-out-3")))
		}},
		6: {status: 200, reply: page(0, 50, true), after: func() { s.names.Set("continuation", s.id("page 50")) }},
		7: {status: 200, reply: page(50, 50, true), after: func() {
			// It goes on until there is no continuation, and takes one that comes again for a loop.
			if s.id("page 50") == s.id("page 100") {
				t.Error("a continuation repeats")
			}
			s.names.Set("continuation", s.id("page 100"))
			s.wantAnswer(want{status: 200, reply: page(100, 1, false)}, s.cast.MustSend(t, s.http, s.request(&rows[6])))
		}},
		8: {status: 200, header: map[string]string{"TT-X-Group-Token": "<grp>"}, reply: group},
		9: {status: 200, header: map[string]string{"TT-X-Message-Id": "<m-out-9>"},
			reply: with(messageShape("m-out-9", "me", "grp", "bed 14"), "group_token", `"<grp>"`)},
	})
}
