package app

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signet/client"
)

// A canary is a word that stands in one message only, and all over it: where any
// part of its message is left, the canary is.
const (
	canaryMark   = "Canary-"
	canaryDigits = 12
)

func newCanary() string {
	random := make([]byte, canaryDigits/2)
	_, _ = rand.Read(random) // never fails
	return canaryMark + hex.EncodeToString(random)
}

// canariesIn finds the canaries in a text.
func canariesIn(text []byte, found func(canary string)) {
	for {
		i := bytes.Index(text, []byte(canaryMark))
		if i < 0 {
			return
		}
		if text = text[i:]; len(text) < len(canaryMark)+canaryDigits {
			return
		}
		found(string(text[:len(canaryMark)+canaryDigits]))
		text = text[len(canaryMark):]
	}
}

// canariesInFiles reads every byte below a directory, and returns the canaries
// with a file that holds them.
func canariesInFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return ignoreMissing(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return ignoreMissing(err)
		}
		for _, text := range [][]byte{content, []byte(path)} {
			canariesIn(text, func(canary string) { found[canary] = path })
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// ignoreMissing is for files that the server removes meanwhile.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// specimen is a message with a canary.
type specimen struct {
	fate
	canary string
	file   []byte // nil: it has no attachment
	id     string
	group  bool
	ended  bool
}

// fate is how a message is to end.
type fate int

const (
	kept fate = iota
	expired
	recalled
	readAndGone
	fates
)

func (f fate) String() string {
	return [...]string{"kept", "expired", "recalled", "read and gone"}[f]
}

// The lifetimes of the messages that are kept and of those that expire, in minutes.
const (
	longLife  = 1000
	shortLife = 60
)

// randomSize is most often a few hundred bytes, and sometimes as large as it may be.
func randomSize(most int) int {
	if mathrand.N(8) > 0 {
		most = 800
	}
	return 1 + mathrand.N(most)
}

// canaryText is about so many bytes of canaries, and at least one.
func canaryText(canary string, size int) string {
	return strings.Repeat(canary+" ", 1+size/(len(canary)+1))
}

// outgoing makes the message to send: of a random form and size.
func (s *specimen) outgoing(recipient string) client.Outgoing {
	m := client.Outgoing{Recipient: recipient, TTL: longLife}
	switch s.fate {
	case expired:
		m.TTL = shortLife
	case readAndGone:
		m.DOR = new(true)
	}
	form := mathrand.N(10)
	if form < 8 {
		m.Body = canaryText(s.canary, randomSize(60<<10))
	}
	if form%3 == 0 {
		m.Data = []client.DataItem{{MimeType: "text/plain", Namespace: s.canary,
			Payload: canaryText(s.canary, randomSize(20<<10))}}
	}
	if form >= 7 {
		s.file = []byte(canaryText(s.canary, randomSize(300<<10)))
		m.Attachment = &client.Upload{Name: s.canary + ".txt", Content: bytes.NewReader(s.file)}
	}
	return m
}

// followSocket reads bob's queue over a WebSocket, and acknowledges a canary there.
func (v *aviary) followSocket() {
	v.t.Helper()
	c, err := client.New(v.app.BaseURL(), v.bob.key, v.bob.secret, client.WithHTTPClient(v.http))
	if err != nil {
		v.t.Fatal(err)
	}
	n := 0
	for event, err := range c.Events(v.t.Context(),
		client.StreamOptions{Transport: client.WebSocket, CloseAfterReplay: true, Acknowledge: true}) {
		if err != nil {
			v.t.Fatal(err)
		}
		if strings.Contains(string(event.Payload), canaryMark) {
			n++
		}
	}
	if n == 0 {
		v.t.Error("no canary came over the WebSocket: this test looks at the wrong place")
	}
}

// noteSecrets makes canaries of the secrets in an answer.
func (v *aviary) noteSecrets(got answered) {
	var told struct {
		Reply struct {
			API_Secret, Secret string
			Auth               struct{ Secret string }
		}
	}
	if json.Unmarshal(got.body, &told) != nil {
		return // no such answer
	}
	for _, secret := range []string{told.Reply.API_Secret, told.Reply.Secret, told.Reply.Auth.Secret} {
		if secret != "" {
			v.note(ofSecret, "an issued secret", secret)
		}
	}
}
