package pgbus

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"

	"signet/internal/live"
	"signet/internal/live/envelope"
	"signet/internal/model"
)

// A letter is what one notification says, before it is sealed: the length of the notice (2
// bytes), the notice as JSON without its accounts, and these, in 16 bytes each.
const (
	payloadLimit = 7999                                 // what PostgreSQL lets a notification be, in bytes
	letterLimit  = payloadLimit*3/4 - envelope.Overhead // base64 writes 3 bytes in 4
	sizeOfSize   = 2
	sizeOfID     = len(model.AccountID{})

	// listed is how many streams or organizations a notice lists, each in some 40 bytes of
	// JSON: there is room for accounts beside them.
	listed = 64

	// gathered is how many accounts notices are about that are said together, and together
	// how many letters one transaction says: 2 MB.
	gathered = 1 << 16
	together = 256
)

var (
	errTooLong   = errors.New("the notice is too long for a notification")
	errMalformed = errors.New("the letter is cut short")
)

// beatKind is the kind of a heartbeat, which a node says to itself. Other nodes learn that it is
// there, and answer that of a node which has just connected.
const (
	beatKind  live.NoticeKind = "beat"
	helloKind live.NoticeKind = "hello"
)

// beat is the letter that a heartbeat is, and hello the first one.
var (
	beat  = letter([]byte(`{"kind":"beat"}`), nil)
	hello = letter([]byte(`{"kind":"hello"}`), nil)
)

// write returns the letters that say a notice: several where it is about too many accounts for
// one, or lists too much.
func write(n live.Notice) (letters [][]byte, err error) {
	accounts := n.Accounts
	for _, part := range parts(n) {
		part.Accounts = nil
		head, err := json.Marshal(part)
		if err != nil {
			return nil, err
		}
		room := (letterLimit - sizeOfSize - len(head)) / sizeOfID
		if room < 1 {
			return nil, errTooLong
		}
		for some := range slices.Chunk(accounts, room) {
			letters = append(letters, letter(head, some))
		}
	}
	return letters, nil
}

func letter(head []byte, accounts []model.AccountID) []byte {
	out := make([]byte, 0, sizeOfSize+len(head)+len(accounts)*sizeOfID)
	out = binary.BigEndian.AppendUint16(out, uint16(len(head)))
	out = append(out, head...)
	for _, account := range accounts {
		out = append(out, account[:]...)
	}
	return out
}

// parts splits a notice that lists too much into several, which together say the same.
func parts(n live.Notice) (out []live.Notice) {
	switch {
	case n.Ending != nil && len(n.Ending.Streams) > listed:
		for some := range slices.Chunk(n.Ending.Streams, listed) {
			ending := *n.Ending
			ending.Streams = some
			n.Ending = &ending
			out = append(out, n)
		}
	case n.Signal != nil && len(n.Signal.Within) > listed:
		for some := range slices.Chunk(n.Signal.Within, listed) {
			signal := *n.Signal
			signal.Within = some
			signal.Scoped = signal.Scoped || out != nil // who has no scope hears the first alone
			n.Signal = &signal
			out = append(out, n)
		}
	default:
		out = []live.Notice{n}
	}
	return out
}

// read returns the notice that a letter says.
func read(letter []byte) (n live.Notice, err error) {
	if len(letter) < sizeOfSize {
		return n, errMalformed
	}
	size, rest := int(binary.BigEndian.Uint16(letter)), letter[sizeOfSize:]
	if size > len(rest) || (len(rest)-size)%sizeOfID != 0 {
		return n, errMalformed
	}
	if err := json.Unmarshal(rest[:size], &n); err != nil {
		return live.Notice{}, err
	}
	n.Accounts = nil
	for account := range slices.Chunk(rest[size:], sizeOfID) {
		n.Accounts = append(n.Accounts, model.AccountID(account))
	}
	return n, nil
}

// merge makes one wake-up of those that follow each other, which names each account once.
func merge(notices []live.Notice) (out []live.Notice) {
	for _, n := range notices {
		last := len(out) - 1
		if last >= 0 && n.Kind == live.NoticeWake && out[last].Kind == live.NoticeWake {
			out[last].Join(n)
		} else {
			out = append(out, n)
		}
	}
	for i, n := range out {
		if n.Kind == live.NoticeWake {
			slices.SortFunc(n.Accounts, func(a, b model.AccountID) int { return bytes.Compare(a[:], b[:]) })
			out[i].Accounts = slices.Compact(n.Accounts)
		}
	}
	return out
}
