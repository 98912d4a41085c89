package clientreplay

// muteBob mutes the conversation with Bob for an hour.
func (s *story) muteBob() {
	s.t.Helper()
	s.ask("POST", "/v2/mute/p2p",
		`{"sender_token":"<bob>","sender_organization":"<org>","receiver_organization":"<org>","duration":"60"}`,
		want{status: 204})
	s.wantEvent("conversation_mute", `{"token":"<me>","action":"add",`+muteOfBob("60", "1")+`}`)
}

// wantUnmuted checks that it is muted no more. Both JavaScript clients end a mute with
// the fields in headers, and an empty object as the body.
func (s *story) wantUnmuted() {
	s.t.Helper()
	s.wantEvent("conversation_mute", `{"token":"<me>","action":"del",`+muteOfBob("0", "0")+`}`)
	s.ask("GET", "/v2/mute", "{}", want{status: 200, reply: `[]`})
}

func muteOfBob(duration, start string) string {
	return `"sender_type":"account","sender_token":"<bob>","organization_id":"<org>","caller_organization":"<org>","mute_duration":` +
		duration + `,"mute_start":` + start
}
