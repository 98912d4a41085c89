package wire

import (
	"strings"
	"testing"
	"time"

	"signet/internal/model"
)

// FuzzAppendedMessages compares what is written by hand with what encoding/json makes
// of the same message.
func FuzzAppendedMessages(f *testing.F) {
	f.Add("Ready", "report.pdf", "text/plain", int64(1), uint8(0))
	f.Add("\"quotes\" \\ <b>&amp;</b> \u2028\u2029 \x00\x1f\x7f\b\f\n\r\t", "ä€😀", "\xff\xc3(\xed\xa0\x80", int64(-5),
		uint8(0xff))
	f.Add("answer", "", "", int64(9), uint8(0b1000_0000))
	for at := range 17 { // a quote, and the like, at each place of the eight bytes that are looked at together
		text := strings.Repeat("~ ", 9)
		f.Add(text[:at]+"\""+text[at:], text[:at]+"\\"+text[at:], text[:at]+"\x1f\x7fé"+text[at:], int64(at), uint8(0xff))
	}
	f.Add("", "", "", int64(0), uint8(0b10101))
	f.Fuzz(func(t *testing.T, body, name, payload string, number int64, bits uint8) {
		bit := func(n int) bool { return bits>>n&1 == 1 }
		at := time.UnixMilli(number % (1 << 40)).UTC()
		m := model.Message{
			ID: model.MessageID{byte(number)}, Sender: model.AccountID{1: 7}, Recipient: model.EntityID{15: 9},
			Organization: model.OrganizationID(name),
			Group:        bit(0), Created: at, TTL: int(number), DOR: bit(1), Priority: int(number % 3), Sort: number,
			Recalled: bit(2),
			Muted:    bit(3),
			Status:   model.Read, Content: model.Content{Body: body},
		}
		if bit(4) {
			m.Attachment = &model.Attachment{Name: name, ContentType: payload, Size: number}
		}
		if bit(5) {
			m.Data = []model.DataItem{{MimeType: payload, Namespace: name, Payload: body}, {}}
		}
		if bit(6) {
			m.Forwarded = &model.Original{Sender: model.AccountID{3}, Created: at}
		}
		if number > 0 {
			m.ReplyTo = model.MessageID{7: byte(number), 15: 1}
		}
		if bit(7) {
			m.Expires = at.Add(time.Minute)
		}
		if number%5 == 1 {
			m.Escalation = model.EscalationPart{Message: model.MessageID{9: 4}, Step: int(number % 11)}
			m.Escalates = bit(2)
			m.ConfirmedBy = []model.AccountID{{2: 1}, {8: 5}}[:number%3]
		}
		// Where its text is kept, it is copied from the third time on: into other views too, and for
		// readers of whom each sees it otherwise.
		for _, text := range []*model.Text{nil, model.NewText(len(body) / 2), model.NewText(1 << 20)} {
			m.Text = text
			for n := range 4 {
				v := &View{Namespace: string(rune('a' + n)), Base: "https://" + string(rune('a'+n))}
				m.Status, m.Muted = model.Status(n), bit(3) != (n%2 == 1)
				got, met := strings.CutPrefix(string(v.appendMessage([]byte("before "), &m)), "before ")
				if !met {
					t.Error("what was before is gone")
				}
				wantAsEncoded(t, []byte(got), v.Message(&m))
			}
		}
	})
}

// wantAsEncoded compares what is written by hand of v with what encoding/json makes of it.
func wantAsEncoded(t *testing.T, got []byte, v any) {
	t.Helper()
	want, err := Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("written by hand:\n%s\nby encoding/json:\n%s", got, want)
	}
}

// FuzzAppendedEntities does the same with accounts and groups.
func FuzzAppendedEntities(f *testing.F) {
	f.Add("Ann", "ann@example.com", "Nurse", int64(1), uint8(0))
	f.Add("\"quotes\" \\ <b>&amp;</b> \u2028\u2029 \x00\x1f\x7f\b\f\n\r\t", "ä€😀", "\xff\xc3(\xed\xa0\x80", int64(-5),
		uint8(0xff))
	f.Add("", "", "", int64(0), uint8(0b101010))
	f.Fuzz(func(t *testing.T, name, address, text string, number int64, bits uint8) {
		bit := func(n int) bool { return bits>>n&1 == 1 }
		at := time.UnixMilli(number % (1 << 40)).UTC()
		a := model.Account{ID: model.AccountID{byte(number)}, Username: address, DisplayName: name, FirstName: text,
			LastName: name + text, Avatar: address, Status: text, DND: bit(0), DNDText: name, Disabled: bit(1)}
		g := model.Group{ID: model.GroupID{byte(number)}, Organization: model.OrganizationID(text), Name: name,
			Description: text, Avatar: address, Count: int(number % 1000), ReplayHistory: bit(0), Public: bit(1),
			Everyone: bit(2)}
		if bit(2) {
			a.Emails = []model.Email{{Address: address, Verified: bit(3)}, {Address: name}}
			a.Phones = []model.Phone{{Number: text, Verified: bit(4)}, {}}
			g.Members = []model.AccountID{{1: 7}, {15: 9}}
			g.CreatedBy = model.AccountID{3}
		}
		if bit(5) {
			a.Created, g.Created = at, at
		}
		e := model.Entity{Account: &a}
		if bit(6) {
			e.Organization, e.Title, e.Department = model.OrganizationID(text), name, address
		}
		v := &View{Namespace: "tigertext", Base: "https://chat.example.com"}
		user, group := v.User(e), v.Group(&g)
		if bit(7) {
			user.Metadata, group.Metadata = map[string]string{}, map[string]string{name: text, address: name, "b": "", "a": "1"}
			group.Members = nil
		}
		wantAsEncoded(t, user.appendJSON(nil), user)
		wantAsEncoded(t, group.appendJSON(nil), group)
	})
}
