package api_test

import (
	"testing"
	"time"
)

func (p *person) mustReply(to, text, original string, more ...any) string {
	p.t.Helper()
	return p.mustSend(to, text, append([]any{"reply_to", original}, more...)...)
}

// wantReplyUnknown sends an answer that is refused.
func (p *person) wantReplyUnknown(to, original string) *answer {
	p.t.Helper()
	return p.post("/v2/message", fields{"recipient": to, "body": "x", "reply_to": original}).
		wantError(400, "reply_to_unknown").wantField("reply_to")
}

func TestReplyNamesWhatItAnswers(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	original := c.alice.mustSend(c.bob.token, "question")
	got := c.bob.post("/v2/message?response_format=message",
		fields{"recipient": "alice", "body": "answer", "reply_to": original}).reply()
	got.wantFields(fields{"body": "answer", "reply_to": original})
	answer := got.text("message_id")
	for _, reader := range []*person{c.alice, c.bob} {
		reader.get("/v2/message/" + answer).reply().wantFields(fields{"reply_to": original})
		reader.get("/v2/message/"+original).reply().wantFields(fields{"body": "question"}, "reply_to")
	}
	c.alice.wantEvents("message")[0].wantFields(fields{"reply_to": original, "body": "answer"})
	c.bob.get("/v2/conversation/alice/message").reply().list("results")[0].wantFields(fields{"reply_to": original})
	c.bob.get("/v2/conversation").reply().list("results")[0].at("last_message").wantFields(fields{"reply_to": original})

	// One's own, and an answer itself; with a file, as a form, and in capitals.
	own := c.alice.mustReply(c.bob.token, "and", original)
	c.bob.do("POST", "/v2/message", form("recipient", "alice", "body", "form", "reply_to", own)).want(204)
	file := c.bob.do("POST", "/v2/message?response_format=message",
		parts(map[string]string{"recipient": c.alice.token, "reply_to": answer},
			file{"attachment", "a.txt", "text/plain", []byte("a")})).reply()
	file.wantFields(fields{"reply_to": answer, "attachment_name": "a.txt"})

	// A forward carries none, and an empty text asks for none.
	forward := c.alice.post("/v2/message/"+answer+"/forward?response_format=message", fields{"recipient": "carl"}).reply()
	forward.wantFields(fields{"body": "answer", "is_forwarded": true}, "reply_to")
	c.alice.post("/v2/message?response_format=message",
		fields{"recipient": "bob", "body": "x", "reply_to": ""}).reply().wantFields(fields{}, "reply_to")
	c.alice.post("/v2/message", fields{"recipient": "bob", "body": "x", "reply_to": []string{original}}).want(400).
		wantField("reply_to")

	// What is recalled has none; what it answers is not changed by it, nor the other way round.
	c.bob.delete("/v2/message/" + answer).want(204)
	c.alice.get("/v2/message/"+answer).reply().wantFields(fields{"is_recalled": true}, "reply_to")
	c.alice.get("/v2/message/" + original).reply().wantFields(fields{"body": "question"})
	c.alice.delete("/v2/message/" + original).want(204)
	c.bob.get("/v2/message/" + own).reply().wantFields(fields{"reply_to": original})
}

// What one may not read, or cannot find in the conversation, is one answer, whatever it is.
func TestReplyToWhatIsNotInTheConversationIsUnknown(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	group := c.alice.mustCreateGroup("G", c.bob)
	toBob, toCarl := c.alice.mustSend(c.bob.token, "x"), c.alice.mustSend(c.carl.token, "x")
	toSelf, toGroup := c.alice.mustSend(c.alice.token, "x"), c.alice.mustSend(group, "x")
	missing := c.alice.wantReplyUnknown(c.bob.token, randomToken())
	for what, a := range map[string]*answer{
		"nonsense":                         c.alice.wantReplyUnknown(c.bob.token, "nonsense"),
		"one's own of another":             c.alice.wantReplyUnknown(c.bob.token, toCarl),
		"one's own to oneself":             c.alice.wantReplyUnknown(c.bob.token, toSelf),
		"of a group":                       c.alice.wantReplyUnknown(c.bob.token, toGroup),
		"one to one, in a group":           c.alice.wantReplyUnknown(group, toBob),
		"to another, to oneself":           c.alice.wantReplyUnknown(c.alice.token, toBob),
		"received, to oneself":             c.bob.wantReplyUnknown(c.bob.token, toBob),
		"of others":                        c.carl.wantReplyUnknown(c.alice.token, toBob),
		"of a group that one is not in":    c.carl.wantReplyUnknown(c.alice.token, toGroup),
		"of another organization":          stranger.wantReplyUnknown(stranger.token, toBob),
		"of nobody, for one who is nobody": stranger.wantReplyUnknown(stranger.token, randomToken()),
	} {
		t.Run(what, func(t *testing.T) { wantSameAnswer(a, missing) })
	}
	c.alice.mustReply(c.alice.token, "self", toSelf)
	c.bob.mustReply(group, "group", toGroup)
	// A recipient that is unknown is so first.
	stranger.post("/v2/message", fields{"recipient": c.bob.token, "body": "x", "reply_to": toBob}).wantMissing()

	elsewhere := c.mustCreateOrganization("Elsewhere")
	c.operator.mustJoin(elsewhere, c.alice)
	c.operator.mustJoin(elsewhere, c.bob)
	c.bob.post("/v2/message", fields{"recipient": "alice", "body": "x", "reply_to": toBob,
		"recipient_organization": elsewhere}).wantError(400, "reply_to_unknown")
}

func TestReplyToWhatIsGoneIsUnknown(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	send := func(more ...any) string { return c.alice.mustSend(c.bob.token, "x", more...) }

	recalled := send()
	c.alice.delete("/v2/message/" + recalled).want(204)
	expired := send("ttl", 1)
	read := send("dor", true)
	c.bob.post("/v2/message/status", fields{"read": []string{read}}).want(204)
	repeated := fields{"recipient": "alice", "body": "in time", "reply_to": expired}
	first := c.bob.post("/v2/message", repeated, requestID("r")).want(204).Header.Get("TT-X-Message-Id")
	c.bob.mustReply(c.alice.token, "in time", read)
	c.clock.Advance(time.Minute)
	for _, id := range []string{recalled, expired, read} {
		c.bob.wantReplyUnknown(c.alice.token, id)
		c.alice.wantReplyUnknown(c.bob.token, id)
	}
	// A repeat is one all the same, and another answer under its id is none.
	c.bob.post("/v2/message", repeated, requestID("r")).want(304).wantHeader("TT-X-Message-Id", first)
	for _, other := range []fields{
		{"recipient": "alice", "body": "in time"},
		{"recipient": "alice", "body": "in time", "reply_to": read},
	} {
		c.bob.post("/v2/message", other, requestID("r")).wantError(400, "request_id_reused")
	}

	removed := send()
	c.bob.delete("/v2/roster/alice").want(204)
	c.bob.wantReplyUnknown(c.alice.token, removed)
	c.alice.mustReply(c.bob.token, "the other still has it", removed)

	group := c.alice.mustCreateGroup("G", c.bob)
	before := c.alice.mustSend(group, "before carl")
	c.alice.post("/v2/group/"+group+"/members", fields{"members": []string{c.carl.token}}).want(204)
	c.carl.wantReplyUnknown(group, before)
	c.bob.mustReply(group, "x", before)
}

// Who joins a group with its history gets answers as they were sent.
func TestReplyIsInTheHistoryThatANewMemberGets(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroupAs(fields{"name": "G", "replay_history": true}, c.bob)
	original := c.alice.mustSend(group, "question")
	answer := c.bob.mustReply(group, "answer", original)
	c.alice.post("/v2/group/"+group+"/members", fields{"members": []string{c.carl.token}}).want(204)
	c.mustSweep()
	c.carl.get("/v2/message/" + answer).reply().wantFields(fields{"reply_to": original})
	c.carl.mustReply(group, "so do I", original)
}
