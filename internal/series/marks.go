package series

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"

	"signet/internal/model"
)

// marks stand for accounts that called: 32 bits each, of a hash with the installation's secret, in
// their order, each once. Sets of them are united, which numbers can't be: so nobody counts twice
// who called at two servers, or in two minutes. Of more than mostMarks the least are kept, which
// tell how many there are (k minimum values). They live as long as rows of minutes.
type marks []uint32

// mostMarks is up to how many accounts are counted one by one. The count of more is right to
// three parts in a hundred, mostly.
const mostMarks = 1024

// marker makes marks.
type marker struct{ key []byte }

func newMarker(secret []byte) marker {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("marks of figures over time"))
	return marker{h.Sum(nil)}
}

func (m marker) of(accounts []model.AccountID) marks {
	out := make(marks, len(accounts))
	h := hmac.New(sha256.New, m.key)
	for i := range accounts {
		h.Reset()
		h.Write(accounts[i][:])
		out[i] = binary.BigEndian.Uint32(h.Sum(nil))
	}
	return marks(nil).with(out)
}

// with returns the union of two sets. It changes neither.
func (m marks) with(others marks) marks {
	if len(others) == 0 {
		return m
	}
	out := slices.Concat(m, others)
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), mostMarks)]
}

// count is how many accounts there are.
func (m marks) count() int64 {
	if len(m) < mostMarks {
		return int64(len(m))
	}
	return int64((mostMarks - 1) * (1 << 32) / (float64(m[mostMarks-1]) + 1))
}

// stored is the form in a row.
func (m marks) stored() []byte {
	out := make([]byte, 0, 4*len(m))
	for _, mark := range m {
		out = binary.BigEndian.AppendUint32(out, mark)
	}
	return out
}

func parseMarks(stored []byte) (marks, error) {
	if len(stored)%4 != 0 {
		return nil, errors.New("marks of people are cut off")
	}
	out := make(marks, 0, len(stored)/4)
	for ; len(stored) > 0; stored = stored[4:] {
		out = append(out, binary.BigEndian.Uint32(stored))
	}
	return out, nil
}
