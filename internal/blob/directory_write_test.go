package blob

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"
	"testing/iotest"
)

// pieces notes how a file is written.
type pieces struct {
	bytes.Buffer
	count int
	most  int // bytes that there is room for; 0: no bound
}

var errFull = errors.New("full")

func (p *pieces) Write(b []byte) (int, error) {
	p.count++
	if p.most > 0 && p.Len()+len(b) > p.most {
		n, _ := p.Buffer.Write(b[:p.most-p.Len()])
		return n, errFull
	}
	return p.Buffer.Write(b)
}

func TestBlobIsWrittenInFewPiecesAndIsOnItsWayToTheDiskBeforeItsEnd(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), (5<<20+100_000)/16)
	for name, r := range map[string]io.Reader{"whole": bytes.NewReader(content),
		"halves": iotest.HalfReader(bytes.NewReader(content))} {
		var file pieces
		begun, calls := int64(0), 0
		size, err := writeAll(&file, &source{ctx: t.Context(), r: r}, func(from, size int64) {
			if from != begun || from+size != int64(file.Len()) {
				t.Errorf("%s: told to write back %d bytes from %d, want all from %d to %d", name, size, from, begun, file.Len())
			}
			begun, calls = from+size, calls+1
		})
		if err != nil || size != int64(len(content)) || !bytes.Equal(file.Bytes(), content) {
			t.Fatalf("%s: %d bytes, %v", name, size, err)
		}
		if most := len(content)/writeSize + 1; file.count > most {
			t.Errorf("%s: %d writes, want %d at the most", name, file.count, most)
		}
		if calls != 5 {
			t.Errorf("%s: writing back was begun %d times, want once for each MiB", name, calls)
		}
	}
}

func TestBlobThatIsCutShortIsNoBlob(t *testing.T) {
	nothing := func(int64, int64) {}
	// the latter is also what a reader says that was asked for more than there is
	for _, want := range []error{errFull, io.ErrUnexpectedEOF} {
		r := io.MultiReader(bytes.NewReader(make([]byte, 100_000)), iotest.ErrReader(want))
		if _, err := writeAll(new(pieces), &source{ctx: t.Context(), r: r}, nothing); err != want {
			t.Errorf("error %v, want that of the reader, %v", err, want)
		}
	}
	size, err := writeAll(&pieces{most: 70_000}, &source{ctx: t.Context(), r: bytes.NewReader(make([]byte, 100_000))},
		nothing)
	if err != errFull || size != 70_000 {
		t.Errorf("%d bytes, error %v, want that of the file", size, err)
	}
}

// Memory does not grow with the size of a blob.
func TestPutIntoADirectoryTakesLittleMemory(t *testing.T) {
	d := mustOpen(t)
	content := make([]byte, 25<<20)
	mustPut(t, d, blobID(1), content[:gatherSize]) // takes the buffer
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	mustPut(t, d, blobID(2), content)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 2*gatherSize {
		t.Errorf("%d bytes were allocated for a blob of %d", used, len(content))
	}
}
