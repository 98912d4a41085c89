package standby

import (
	"time"

	"signet/internal/model"
	"signet/internal/store/sqlite"
)

// protocol is the version of what the two say to each other. Another one is refused.
const protocol = 1

// State says what a server is.
type State struct {
	Installation string    `json:"installation"`
	Epoch        string    `json:"epoch"`
	Term         uint64    `json:"term"`
	Role         Role      `json:"role"`
	AsOf         time.Time `json:"as_of,omitzero"` // of a standby: it has all that was confirmed until then

	By    string `json:"-"` // by a bucket: who has claimed the term
	Claim string `json:"-"` // and the ID of that claim; of a first itself: the ID by which it took over, if it did
}

// Role is what a server is to clients.
type Role string

// The roles.
const (
	First   Role = "first"   // it serves them
	Standby Role = "standby" // it follows a first
)

// Claim says that a server has taken over, or is about to, in a term.
type Claim struct {
	Installation string `json:"installation"`
	Term         uint64 `json:"term"`
	By           string `json:"by"`              // the machine, for people
	ID           string `json:"id,omitempty"`    // of the copy that takes over, so that it may claim again
	Epoch        string `json:"epoch,omitempty"` // in a bucket: of a server that serves already
}

// standbyHello is what a standby says of itself.
type standbyHello struct {
	Protocol int    `json:"protocol"`
	Program  string `json:"program"`
	ID       string `json:"id"` // random, of this copy
	Position        // of its last commit
	Whole    bool   `json:"whole"`     // there was one
	SameRing bool   `json:"same_ring"` // it has the first's key ring, which is in a database, and wants no copy
	Compare  bool   `json:"compare"`   // it was not told to compare its files since it started
}

// firstHello is what the first answers.
type firstHello struct {
	Protocol int `json:"protocol"`
	State
	Program  string `json:"program"`
	PageSize int    `json:"page_size"`
	Resumes  bool   `json:"resumes"` // no digests are wanted
}

// Position is a commit of a first's, as its standby notes it with the copy.
type Position struct {
	Installation string    `json:"installation"`
	Epoch        string    `json:"epoch"`
	Term         uint64    `json:"term"`
	Session      string    `json:"session"`  // random: since the copy was compared
	Sequence     uint64    `json:"sequence"` // counts commits in it
	AsOf         time.Time `json:"as_of"`    // all that was confirmed until then, by the first's clock, is in it

	Object uint64 `json:"object,omitempty"` // of a bucket, in which the commit came
}

// commit is what the pages before it make.
type commit struct {
	Position
	Pages   uint32         `json:"pages"`   // size of the database
	Added   []model.BlobID `json:"added"`   // files that the standby has to have before, or soon where it compares
	Removed []model.BlobID `json:"removed"` // files that it deletes afterwards
	Compare bool           `json:"compare"` // files came and went that are not named: all are to be compared
	progress
	age
}

// current says that nothing was written that was not sent.
type current struct {
	age
	Sequence uint64    `json:"sequence"`
	AsOf     time.Time `json:"as_of"`
	Final    bool      `json:"final"` // and nothing will be: the first is fenced
}

// progress is how much the first still has to send.
type progress struct {
	Waiting int `json:"waiting"` // pages
}

// age is how long ago it was AsOf when the frame was sent, which no two clocks have to agree on.
type age struct {
	Age time.Duration `json:"age"`
}

// ack says that a commit is on the standby's disk.
type ack struct {
	Sequence uint64 `json:"sequence"`
}

// ringAt says, in a bucket, that what comes refers to keys of a ring that is beside it, or to none of those that were
// destroyed.
type ringAt struct {
	Version int64 `json:"version"`
}

// pageHead is what comes before the bytes of each page.
const pageHead = 4

// framePages is how many pages go into a frame.
const framePages = 64

// pageInFrame is how many bytes of a frame are of one page.
const pageInFrame = pageHead + sqlite.PageSize
