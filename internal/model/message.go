package model

import "time"

// Status is how far a message got with a recipient. It never goes back.
type Status int

const (
	New Status = iota
	Delivered
	Read
	Confirmed // the reader takes it on (contract, section 8)
)

// String returns the wire name.
func (s Status) String() string {
	switch s {
	case Delivered:
		return "Delivered"
	case Read:
		return "Read"
	case Confirmed:
		return "Confirmed"
	default:
		return "New"
	}
}

// OfMessage is what a Message says of a status: it knows three.
func (s Status) OfMessage() Status { return min(s, Read) }

// ReadGrace is how long a delete-on-read message stays after it was read.
const ReadGrace = 60 * time.Second

// RepeatWindow is how long a Request-ID stands for its first message.
const RepeatWindow = 24 * time.Hour

// ValidRequestID reports whether a Request-ID is 1 to 128 visible ASCII characters
// (contract, section 5.1).
func ValidRequestID(id string) bool {
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return len(id) >= 1 && len(id) <= 128
}

// Message is a message as one reader sees it.
type Message struct {
	ID           MessageID
	Organization OrganizationID
	Sender       AccountID
	Recipient    EntityID // an account's, or a group's where Group is true
	Group        bool
	Content
	Created   time.Time
	Expires   time.Time // zero: never
	TTL       int       // minutes; NoTTL: never
	DOR       bool
	Priority  int // -1, 0, 1
	Sort      int64
	Status    Status // the reader's own; for the sender the least advanced of all
	Recalled  bool
	Forwarded *Original
	Muted     bool  // the reader muted the conversation
	Text      *Text // how it is written for all readers; nil: that is not kept

	Escalation  EscalationPart
	Escalates   bool        // it has an escalation of its own; for the sender alone
	ConfirmedBy []AccountID // in their order, for the sender alone
}

// Content is what the sender wrote: all that is sealed at rest, and erased when
// the message ends.
type Content struct {
	Body       string
	Data       []DataItem
	Attachment *Attachment
	ReplyTo    MessageID // the message of the same conversation that it answers; zero: none
}

// DataItem is a piece of structured content beside the body.
type DataItem struct {
	MimeType  string `json:"mimetype"`
	Namespace string `json:"namespace"`
	Payload   string `json:"payload"`
}

// Attachment is the file of a message. Its bytes lie in the blob store.
type Attachment struct {
	Blob        BlobID
	Name        string
	ContentType string
	Size        int64  // bytes
	Key         []byte `json:"-"` // opens the bytes, and leaves the node in no form; nil: they are not sealed
}

// Original is where a forwarded message came from first.
type Original struct {
	Sender  AccountID
	Created time.Time
}

// StatusRow is one recipient's status of a message.
type StatusRow struct {
	Account AccountID
	Status  Status
	Time    time.Time
}
