package service

import (
	"context"

	"signet/internal/large"
	"signet/internal/model"
)

// answerBytes is what an answer has room for: it ends at 4 MiB (contract, section 1). What is
// beside the entries themselves has the rest.
const answerBytes = 4<<20 - 64<<10

// answerRoom is how far an answer has been filled.
type answerRoom struct {
	small bool // it takes no more content than large.Bytes
	taken int  // bytes
	said  int  // of them what is content
	full  bool
}

// fill has an answer read: with room for a small one, as most are, and where that does not do,
// in its turn once more.
func fill(ctx context.Context, read func(room *answerRoom) error) error {
	room := &answerRoom{small: true}
	if err := read(room); err != nil || !room.full {
		return err
	}
	if err := large.Enter(ctx); err != nil {
		return err
	}
	return read(&answerRoom{})
}

// content is how much of it is read at once.
func (r *answerRoom) content() int {
	if r.small {
		return large.Bytes
	}
	return answerBytes
}

// take makes room for an entry of so many bytes, if there is as much. For the first one there
// always is.
func (r *answerRoom) take(bytes int) bool {
	said := max(bytes-entryBytes, 0)
	r.full = r.full || r.taken > 0 && (r.taken+bytes > answerBytes || r.small && r.said+said > large.Bytes)
	if r.full {
		return false
	}
	r.taken += bytes
	r.said += said
	return true
}

// entryBytes is the most that tokens, times, numbers and names of an entry take.
const entryBytes = 2 << 10

// messageBytes is the most that a message takes in an answer.
func messageBytes(m *model.Message) int {
	bytes := entryBytes + jsonBytes(m.Content.Body)
	for _, item := range m.Content.Data {
		bytes += entryBytes/8 + jsonBytes(item.MimeType) + jsonBytes(item.Namespace) + jsonBytes(item.Payload)
	}
	return bytes
}

// noteBytes is the most that a note takes in an answer.
func noteBytes(n *model.Note) int {
	bytes := entryBytes + jsonBytes(n.Caller.Name) + jsonBytes(n.Name)
	for _, s := range n.Subjects {
		bytes += entryBytes/8 + jsonBytes(s.Name)
	}
	return bytes
}

// entityBytes is the most that an account or a group takes in an answer.
func entityBytes(e *model.Entity) int {
	bytes := entryBytes + jsonBytes(e.Title) + jsonBytes(e.Department)
	if g := e.Group; g != nil {
		const token = 40 // with quotes and a comma
		bytes += jsonBytes(g.Name)*2 + jsonBytes(g.Description) + jsonBytes(g.Avatar) + len(g.Members)*token
	}
	if a := e.Account; a != nil {
		for _, text := range []string{a.Username, a.DisplayName, a.FirstName, a.LastName, a.Avatar, a.Status, a.DNDText} {
			bytes += jsonBytes(text)
		}
		for _, address := range a.Addresses() {
			bytes += entryBytes/8 + jsonBytes(address.Value)
		}
	}
	return bytes
}

// metadataBytes is the most that metadata takes in an answer.
func metadataBytes(m map[string]string) (bytes int) {
	for name, value := range m {
		bytes += entryBytes/8 + jsonBytes(name) + jsonBytes(value)
	}
	return bytes
}

// jsonBytes is the most that a text takes in JSON.
func jsonBytes(text string) int {
	bytes := len(text)
	for i := range len(text) {
		bytes += int(escapes[text[i]])
	}
	return bytes
}

// escapes is how much more than itself a byte takes at most, where a text has it.
var escapes = func() (more [256]uint8) {
	for c := range ' ' {
		more[c] = uint8(len(`\u0000`) - 1)
	}
	more['"'], more['\\'] = 1, 1
	more[0xE2] = uint8(len(`\u2028`) - 3) // U+2028 and U+2029 begin so
	return more
}()
