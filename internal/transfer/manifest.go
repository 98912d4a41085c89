package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// The files of a backup.
const (
	databaseName = "signet.db"
	blobsName    = "blobs"
	sumsName     = "SHA256SUMS"
	manifestName = "manifest.json"
)

// format is the number of the form of a backup. One of a higher number is refused.
const format = 1

// Manifest says what a backup is.
type Manifest struct {
	Format   int          `json:"format"`
	MadeBy   string       `json:"made_by"` // version of the program
	Time     time.Time    `json:"time"`    // of the copy of the database
	Database DatabaseFile `json:"database"`
	Blobs    BlobFiles    `json:"blobs"`
	Sums     string       `json:"sha256sums"` // digest of SHA256SUMS, in hex
	Digest   string       `json:"digest"`     // SHA-256 of the manifest with this field empty, in hex
}

// DatabaseFile is what a backup says of its database.
type DatabaseFile struct {
	Bytes int64 `json:"bytes"`
	store.Census
}

// BlobFiles is what a backup says of the attachments and avatars.
type BlobFiles struct {
	Included bool  `json:"included"` // false: only the database is in the backup
	Count    int64 `json:"count"`
	Bytes    int64 `json:"bytes"`

	// Erased are those that were erased while the backup ran: their messages were
	// recalled, or ended, after the database was copied.
	Erased []model.BlobID `json:"erased_meanwhile"`

	// Lost are those that messages still refer to and that the blob store does not
	// have: something else removed them.
	Lost []model.BlobID `json:"lost"`

	// Partial are those of the above that were half copied when they went: their files
	// are filled up with zeros, and are not restored.
	Partial []model.BlobID `json:"partial"`
}

// readManifest reads and checks a manifest.
func readManifest(r io.Reader) (*Manifest, error) {
	m := new(Manifest)
	text, err := io.ReadAll(io.LimitReader(r, 64<<20))
	if err != nil {
		return nil, fmt.Errorf("read the backup's %s: %w", manifestName, err)
	}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamagedManifest, err)
	}
	switch {
	case m.Format < 1 || m.Database.Rows == nil || len(m.Sums) != 64:
		return nil, fmt.Errorf("%w: it is incomplete", errDamagedManifest)
	case m.Format > format:
		return nil, fmt.Errorf("the backup has form %d, and this program knows forms up to %d: restore it with the program "+
			"that made it (%s), or a newer one",
			m.Format, format, m.MadeBy)
	case m.Database.Schema > store.SchemaVersion():
		return nil, fmt.Errorf("the backup's database has version %d, and this program knows versions up to %d: restore it "+
			"with the program that made it (%s), or a newer one",
			m.Database.Schema, store.SchemaVersion(), m.MadeBy)
	}
	return m, nil
}

// digest is what Digest has to be: the manifest is in no list of digests.
func (m *Manifest) digest() string {
	plain := *m
	plain.Digest = ""
	sum := sha256.Sum256(plain.encode())
	return hex.EncodeToString(sum[:])
}

func (m *Manifest) encode() []byte {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("encode the manifest: %v", err)) // it holds nothing that cannot be encoded
	}
	return append(text, '\n')
}

// errDamagedManifest is what a manifest is that says nothing.
var errDamagedManifest = errors.New("the backup is damaged: " + manifestName + " cannot be read")

// errUnfinished is what a backup is without its manifest.
var errUnfinished = errors.New("this is no finished backup: it has no " + manifestName)
