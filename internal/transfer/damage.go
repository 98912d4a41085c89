package transfer

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"signet/internal/model"
)

type digest [sha256.Size]byte

// DamageError names the files of a backup that are not as they were when it was made.
type DamageError struct {
	Files []string // each with what is wrong with it

	blobs []model.BlobID // of these
}

func (d *DamageError) add(name, what string) { d.Files = append(d.Files, name+" "+what) }

// namedFiles is how many files an error names.
const namedFiles = 10

func (d *DamageError) Error() string {
	more := ""
	if n := len(d.Files) - namedFiles; n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	return fmt.Sprintf("the backup is damaged: %s%s", strings.Join(d.Files[:min(len(d.Files), namedFiles)], ", "), more)
}

// compare reads SHA256SUMS, which comes after the files that it lists, and notes which of
// them are not as it says. Each is in no list any more then.
func (in *receiver) compare(sums io.Reader) error {
	lines := bufio.NewScanner(sums)
	for lines.Scan() {
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		var want digest
		n, err := hex.Decode(want[:], []byte(sum[:min(len(sum), 2*len(want))]))
		known := err == nil && n == len(want)
		id, isBlob := blobOf(name)
		switch {
		case name == databaseName:
			in.right = known && in.database >= 0 && in.copied == want
		case !isBlob:
			in.damage.add(sumsName, "is not as it was")
		default:
			got, came := in.came[id]
			delete(in.came, id)
			if came && known && got == want {
				continue
			}
			if came {
				in.damage.add(name, "is not as it was")
			} else {
				in.damage.add(name, "is missing")
			}
			in.damage.blobs = append(in.damage.blobs, id)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		in.damage.add(sumsName, "is not as it was")
		_, err := io.Copy(io.Discard, sums) // of which there is a digest
		return err
	}
	return lines.Err()
}
