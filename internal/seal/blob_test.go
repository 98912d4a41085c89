package seal

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/tink-crypto/tink-go/v2/streamingaead/subtle"
)

// sizes are those at which the number of segments changes, and some between.
var sizes = []int64{0, 1, 1000, firstTexts - 1, firstTexts, firstTexts + 1, firstTexts + segmentTexts - 1,
	firstTexts + segmentTexts,
	firstTexts + segmentTexts + 1, 300_000}

func randomBytes(size int64) []byte {
	out := make([]byte, size)
	_, _ = rand.Read(out) // never fails
	return out
}

func mustSealBlob(t testing.TB, key []byte, bound string, text []byte) []byte {
	t.Helper()
	r, err := SealBlob(key, Bind(bound), bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func openBlob(key []byte, bound string, sealed []byte, size int64) (*Blob, error) {
	return OpenBlob(key, Bind(bound), bytes.NewReader(sealed), int64(len(sealed)), size)
}

func TestSealedBlobComesBackWhole(t *testing.T) {
	for _, size := range sizes {
		key, text := NewBlobKey(), randomBytes(size)
		sealed := mustSealBlob(t, key, "blob", text)
		if int64(len(sealed)) != SealedSize(size) {
			t.Errorf("%d bytes are %d sealed, want %d", size, len(sealed), SealedSize(size))
		}
		f, err := openBlob(key, "blob", sealed, size)
		if err != nil {
			t.Errorf("%d bytes: %v", size, err)
			continue
		}
		if err := iotest.TestReader(f, text); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// sealPieces are how many bytes a sealed blob is asked for at once: pieces of segments,
// and some segments.
var sealPieces = []int{1000, segmentSize - 1, segmentSize, segmentSize + 1, 4*segmentSize + 7}

func TestBlobIsTheSameInWhateverPiecesItIsSealedAndOpened(t *testing.T) {
	for _, size := range sizes {
		key, text := NewBlobKey(), randomBytes(size)
		for _, piece := range sealPieces {
			r, err := SealBlob(key, Bind("blob"), iotest.HalfReader(bytes.NewReader(text)))
			if err != nil {
				t.Fatal(err)
			}
			sealed, err := readPieces(r, piece)
			if err != nil || int64(len(sealed)) != SealedSize(size) {
				t.Fatalf("%d bytes in pieces of %d are %d sealed, %v", size, piece, len(sealed), err)
			}
			f, err := openBlob(key, "blob", sealed, size)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := readPieces(f, piece); err != nil || !bytes.Equal(got, text) {
				t.Errorf("%d bytes in pieces of %d come back as %d, %v", size, piece, len(got), err)
			}
		}
	}
}

// readPieces reads all with a buffer of one size.
func readPieces(r io.Reader, piece int) (all []byte, err error) {
	p := make([]byte, piece)
	for {
		n, err := r.Read(p)
		if all = append(all, p[:n]...); err == io.EOF {
			return all, nil
		} else if err != nil {
			return all, err
		}
	}
}

// Where there is room for whole segments they are sealed and opened right there, not in
// a buffer from which they are copied, and are fetched once.
func TestSegmentsAreSealedAndOpenedWhereTheyAreWanted(t *testing.T) {
	const size = 20*segmentTexts - headerSize
	key, text := NewBlobKey(), randomBytes(size)
	r, err := SealBlob(key, Bind("blob"), bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var sealed []byte
	p := make([]byte, 4*segmentSize)
	for i := range 5 {
		n, err := r.Read(p)
		if sealed = append(sealed, p[:n]...); n != len(p) || err != nil {
			t.Fatalf("read %d gives %d bytes of %d, %v", i, n, len(p), err)
		}
	}
	if r.(*blobSealer).sealed != nil {
		t.Error("a buffer was taken for segments that there was room for")
	}
	if n, err := r.Read(p); n != 0 || err != io.EOF {
		t.Errorf("behind the last segment there are %d bytes, %v", n, err)
	}
	from := &fetches{ReadSeeker: bytes.NewReader(sealed)}
	f, err := OpenBlob(key, Bind("blob"), from, int64(len(sealed)), size)
	if err != nil {
		t.Fatal(err)
	}
	got, err := readPieces(f, segmentSize)
	if err != nil || !bytes.Equal(got, text) {
		t.Fatalf("read %d bytes, %v", len(got), err)
	}
	if f.segment != -1 {
		t.Error("the buffer holds the text of a segment that there was room for")
	}
	if from.count != 1+20 || from.bytes != len(sealed) { // the header, the segments
		t.Errorf("%d bytes were fetched %d times, want %d 21 times", from.bytes, from.count, len(sealed))
	}
}

// fetches counts what is read.
type fetches struct {
	io.ReadSeeker
	count, bytes int
}

func (f *fetches) Read(p []byte) (int, error) {
	n, err := f.ReadSeeker.Read(p)
	f.count++
	f.bytes += n
	return n, err
}

// The form is Tink's own: its reader reads what is written here, and what its writer
// wrote is read here.
func TestSealedBlobIsTinksForm(t *testing.T) {
	for _, size := range sizes {
		key, text := NewBlobKey(), randomBytes(size)
		tink, err := subtle.NewAESGCMHKDF(key, "SHA256", 32, segmentSize, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := tink.NewDecryptingReader(bytes.NewReader(mustSealBlob(t, key, "blob", text)), Bind("blob"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, text) {
			t.Errorf("Tink reads %d bytes of %d, %v", len(got), size, err)
		}
		var sealed bytes.Buffer
		w, err := tink.NewEncryptingWriter(&sealed, Bind("blob"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := openBlob(key, "blob", sealed.Bytes(), size)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%d bytes of Tink's %d are read, %v", len(got), size, err)
		}
	}
}

func TestAnyPlaceOfASealedBlobIsReadByItself(t *testing.T) {
	const size = 300_000
	key, text := NewBlobKey(), randomBytes(size)
	sealed := mustSealBlob(t, key, "blob", text)
	f, err := openBlob(key, "blob", sealed, size)
	if err != nil {
		t.Fatal(err)
	}
	for range 500 {
		from := mathrand.Int64N(size + 10)
		n := mathrand.Int64N(1 << mathrand.IntN(19))
		if _, err := f.Seek(from-size, io.SeekEnd); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(io.LimitReader(f, n))
		want := text[min(from, size):min(from+n, size)]
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes from %d: got %d, %v", n, from, len(got), err)
		}
	}
	if _, err := f.Seek(-1, io.SeekStart); err == nil {
		t.Error("a place before the beginning was found")
	}
	// A damaged segment is no harm to the others.
	damaged := bytes.Clone(sealed)
	damaged[2*segmentSize+5] ^= 1
	f, err = openBlob(key, "blob", damaged, size)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(f)
	if !errors.Is(err, ErrBroken) || !bytes.Equal(got, text[:firstTexts+segmentTexts]) {
		t.Errorf("read %d bytes, %v, want those before the damage, and ErrBroken", len(got), err)
	}
	if _, err := f.Seek(-10, io.SeekEnd); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, text[size-10:]) {
		t.Errorf("read %d bytes of its end, %v", len(got), err)
	}
}

// Whatever happened to a blob, a reader gets an error and no byte that is not its.
func TestChangedBlobGivesAnErrorAndNoWrongByte(t *testing.T) {
	const size = 200_000
	key, text := NewBlobKey(), randomBytes(size)
	sealed := mustSealBlob(t, key, "blob", text)
	swapped := bytes.Clone(sealed)
	copy(swapped[segmentSize:], sealed[2*segmentSize:3*segmentSize])
	copy(swapped[2*segmentSize:], sealed[segmentSize:2*segmentSize])
	shorter := text[:size-segmentTexts]
	changes := map[string]struct {
		key    []byte
		bound  string
		sealed []byte
		size   int64
	}{
		"another key":                        {NewBlobKey(), "blob", sealed, size},
		"another name":                       {key, "other", sealed, size},
		"segments exchanged":                 {key, "blob", swapped, size},
		"cut at the end of a segment":        {key, "blob", sealed[:3*segmentSize], size},
		"cut with the size to fit":           {key, "blob", sealed[:len(sealed)-segmentSize], size - segmentTexts},
		"cut at the first segment":           {key, "blob", sealed[:segmentSize], firstTexts},
		"nothing":                            {key, "blob", nil, size},
		"a head alone":                       {key, "blob", sealed[:headerSize], size},
		"another blob of the same size":      {key, "blob", mustSealBlob(t, NewBlobKey(), "blob", text), size},
		"a longer one":                       {key, "blob", append(bytes.Clone(sealed), 0), size},
		"a size that is not its":             {key, "blob", sealed, size - 1},
		"a negative size":                    {key, "blob", sealed, -1},
		"another blob of the key, cut alike": {key, "other", mustSealBlob(t, key, "blob", shorter), size - segmentTexts},
	}
	for range 40 {
		damaged := bytes.Clone(sealed)
		at := mathrand.IntN(len(damaged))
		damaged[at] ^= 1 << mathrand.IntN(8)
		changes[fmt.Sprintf("a bit of byte %d", at)] = struct {
			key    []byte
			bound  string
			sealed []byte
			size   int64
		}{key, "blob", damaged, size}
	}
	for name, c := range changes {
		for _, piece := range []int{1000, 2 * segmentSize} {
			f, err := openBlob(c.key, c.bound, c.sealed, c.size)
			var got []byte
			if err == nil {
				got, err = readPieces(f, piece)
			}
			if !errors.Is(err, ErrBroken) || !bytes.HasPrefix(text, got) {
				t.Errorf("%s, in pieces of %d: %d bytes, %v, want ErrBroken", name, piece, len(got), err)
			}
		}
	}
}

func TestSealingABlobTakesLittleMemoryAndKeepsTheReadersError(t *testing.T) {
	const size = 64 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := SealBlob(NewBlobKey(), nil, io.LimitReader(zeros{}, size))
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r)
	runtime.ReadMemStats(&after)
	if err != nil || n != SealedSize(size) {
		t.Errorf("%d bytes, %v", n, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes were allocated for a blob of %d", used, size)
	}
	mine := errors.New("mine")
	r, err = SealBlob(NewBlobKey(), nil, io.MultiReader(bytes.NewReader(make([]byte, 100_000)), iotest.ErrReader(mine)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r); err != mine {
		t.Errorf("%v, want the reader's own error", err)
	}
	// One that ends early is not sealed as if it were whole.
	for _, n := range []int{0, 10, firstTexts, firstTexts + 1, 200_000} {
		for _, piece := range sealPieces {
			r, err := SealBlob(NewBlobKey(), nil,
				io.MultiReader(bytes.NewReader(make([]byte, n)), iotest.ErrReader(io.ErrUnexpectedEOF)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := readPieces(r, piece); err != io.ErrUnexpectedEOF {
				t.Errorf("cut short after %d bytes, in pieces of %d: %v, want the reader's error", n, piece, err)
			}
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func FuzzOpenBlob(f *testing.F) {
	key, text := NewBlobKey(), randomBytes(70_000)
	sealed := mustSealBlob(f, key, "blob", text)
	f.Add(sealed, int64(70_000))
	f.Add(sealed[:segmentSize], int64(firstTexts))
	f.Add(sealed[:headerSize+tagSize], int64(0))
	f.Add([]byte{}, int64(0))
	f.Fuzz(func(t *testing.T, garbage []byte, size int64) {
		opened, err := openBlob(key, "blob", garbage, size)
		var got []byte
		if err == nil {
			got, err = io.ReadAll(opened)
		}
		if err != nil && !errors.Is(err, ErrBroken) {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(text, got) {
			t.Fatalf("%d wrong bytes were read", len(got))
		}
	})
}
