package input

import "testing"

// usual is the body of a send with all the fields that clients write.
const usual = `{"recipient":"bob@example.com","body":"hello there, how are you?",` +
	`"sender_organization":"aaaaaaaaaaaaaaaaaaaaaaaa","recipient_organization":"aaaaaaaaaaaaaaaaaaaaaaaa",` +
	`"priority":1,"ttl":30,"dor":true}`

func BenchmarkParseJSON(b *testing.B) {
	body := []byte(usual)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var f Fields
		if fault := parseJSON(body, &f); fault != nil {
			b.Fatal(fault)
		}
	}
}
