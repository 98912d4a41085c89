package audit

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"signet/internal/model"
)

// keyName is the name of the key in checkpoints.
const keyName = "signet-audit"

// Key signs checkpoints (Ed25519, in the form of golang.org/x/mod/sumdb/note).
type Key struct {
	signer   note.Signer
	verifier note.Verifier
	public   string
}

// NewKey makes a key, as it is stored: two lines, the private and the public half.
func NewKey() (string, error) {
	private, public, err := note.GenerateKey(rand.Reader, keyName)
	return private + "\n" + public + "\n", err
}

// ParseKey reads a stored key.
func ParseKey(text string) (*Key, error) {
	private, public, ok := strings.Cut(strings.TrimSpace(text), "\n")
	if !ok {
		return nil, errors.New("the audit key is not as it was made: it has two lines")
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		return nil, fmt.Errorf("read the audit key: %w", err)
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		return nil, fmt.Errorf("read the audit key: %w", err)
	}
	return &Key{signer, verifier, public}, nil
}

// Public returns the half that others check checkpoints with.
func (k *Key) Public() string { return k.public }

// Checkpoint says what hash a line of a chain has.
type Checkpoint struct {
	Chain  model.OrganizationID // empty: the platform's
	Oldest bool                 // of the last line that was removed because it was old
	Number int64
	Hash   []byte
	Time   time.Time // when it was signed
}

// heading and the two kinds are the first lines of a checkpoint.
const (
	heading = "signet audit checkpoint 1"
	newest  = "newest"
	oldest  = "oldest"
)

// platform stands for the empty name of the platform's chain.
const platform = "platform"

// Sign returns a signed checkpoint: a note of text lines and a signature.
func (k *Key) Sign(c Checkpoint) (string, error) {
	chain, kind := string(c.Chain), newest
	if chain == "" {
		chain = platform
	}
	if c.Oldest {
		kind = oldest
	}
	text := strings.Join([]string{heading, kind, chain, strconv.FormatInt(c.Number, 10),
		base64.StdEncoding.EncodeToString(c.Hash),
		c.Time.UTC().Format(time.RFC3339)}, "\n") + "\n"
	signed, err := note.Sign(&note.Note{Text: text}, k.signer)
	return string(signed), err
}

// Open reads a checkpoint that the key signed.
func (k *Key) Open(text string) (c Checkpoint, err error) {
	signed, err := note.Open([]byte(text), note.VerifierList(k.verifier))
	if err != nil {
		return c, fmt.Errorf("the signature of a checkpoint is wrong: %w", err)
	}
	return parse(signed.Text)
}

// Adopt signs a checkpoint of a key that is lost, as it stands: its signature is not
// checked.
func (k *Key) Adopt(text string, now time.Time) (string, error) {
	unsigned, _, found := strings.Cut(text, "\n\n")
	if !found {
		return "", errors.New("what is to be signed anew is no checkpoint of the audit log")
	}
	c, err := parse(unsigned + "\n")
	if err != nil {
		return "", err
	}
	c.Time = now
	return k.Sign(c)
}

// parse reads the text of a checkpoint.
func parse(text string) (c Checkpoint, err error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 7 || lines[0] != heading || lines[1] != newest && lines[1] != oldest {
		return c, errors.New("what was signed is no checkpoint of the audit log")
	}
	if c.Oldest = lines[1] == oldest; lines[2] != platform {
		c.Chain = model.OrganizationID(lines[2])
	}
	var failures [3]error
	c.Number, failures[0] = strconv.ParseInt(lines[3], 10, 64)
	c.Hash, failures[1] = base64.StdEncoding.DecodeString(lines[4])
	c.Time, failures[2] = time.Parse(time.RFC3339, lines[5])
	return c, errors.Join(failures[:]...)
}
