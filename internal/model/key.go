package model

import (
	"net/netip"
	"strconv"
	"time"
	"unicode/utf8"
)

// LoginIdle is how long a key that a login issued may stay unused.
const LoginIdle = 90 * 24 * time.Hour

// SessionLife is how long a session lasts at most, and SessionIdle how long it may stay
// unused unless that is configured (contract, section 7).
const (
	SessionLife = 30 * 24 * time.Hour
	SessionIdle = 12 * time.Hour
)

// Elevation is how long a session counts as an administrative key (contract, section 7).
const Elevation = 15 * time.Minute

// KeyKind says which endpoints a key opens.
type KeyKind int

const (
	Regular        KeyKind = 0
	Administrative KeyKind = 1
)

// String returns the wire name of the kind.
func (k KeyKind) String() string {
	if k == Administrative {
		return "administrative"
	}
	return "regular"
}

// MaxLabel is how many characters the label of a key has at most.
const MaxLabel = 100

// ParseLabel reads what people call a key, without the blanks and invisible characters at its
// ends. Nothing is no label.
func ParseLabel(text string) (label string, err error) {
	label = TidyName(text)
	if !IsText(label) || utf8.RuneCountInString(label) > MaxLabel {
		return "", Invalidf("label_invalid", "label", "A label has at most %d characters, and no control characters.",
			MaxLabel)
	}
	return label, nil
}

// Key is an API key of an account. The secret itself is never stored.
type Key struct {
	Key               string
	Account           AccountID
	Kind              KeyKind
	SecretHash        []byte         // SHA-256
	PreviousHash      []byte         // of the secret before the last rotation
	PreviousUntil     time.Time      // until when that one still opens the door
	Counter           string         // the key whose daily message counter this one shares
	IssuedBy          AccountID      // zero where the account issued it itself
	Noticed           int64          // where in the account's queue its notice is (Actor.Notices); 0: there is none
	Scope             OrganizationID // the only organization that it acts in; empty: all of the account's
	Parent            string         // the key with which the account issued it; it ends with that one
	Label             string         // what people call it; empty: it has none
	Device            string         // the device of the login that issued it
	Login             bool           // issued by a login: ends at logout, or when idle for 90 days
	Session           bool           // issued by a login of a browser: only the cookie of a session opens it
	Proof             Proof          // of a login: by what it was proven
	Grants            time.Time      // of a session: until when what it gives others may last; zero: for good
	Elevated          time.Time      // of a session: until when it counts as administrative
	ElevatedWith      string         // the administrative key that elevated it, or what issued the key: it ends with that
	MessagesPerDay    *int           // nil: the configured limit; 0: none
	RequestsPerSecond *int
	Networks          Networks // where it may be used from
	Created           time.Time
	LastUsed          time.Time  // zero: never
	LastAddress       netip.Addr // from which it was used then; zero: not known
	Expires           time.Time  // zero: never
}

// KeyUse is one use of a key: when, and from which address.
type KeyUse struct {
	At   time.Time
	From netip.Addr // zero: not known, such as behind a Unix socket
}

// LimitChange is what becomes of one of a key's limits. The zero value leaves it as it is.
type LimitChange struct {
	Set bool
	To  *int // nil: the configured limit; 0: none
}

// ParseLimitChange reads a number of 0 or more, or the word `default`, which stands for the
// configured limit.
func ParseLimitChange(text string) (LimitChange, bool) {
	if text == "default" {
		return LimitChange{Set: true}, true
	}
	n, err := strconv.ParseInt(text, 10, 32)
	limit := int(n)
	return LimitChange{Set: true, To: &limit}, err == nil && n >= 0
}

// Of returns what a limit is after the change.
func (c LimitChange) Of(limit *int) *int {
	if c.Set {
		return c.To
	}
	return limit
}

// LimitText shows a limit as ParseLimitChange reads it.
func LimitText(limit *int) string {
	if limit == nil {
		return "default"
	}
	return strconv.Itoa(*limit)
}

// ExpiredAt reports whether the key has ended by then.
func (k *Key) ExpiredAt(now time.Time) bool { return !k.Expires.IsZero() && !now.Before(k.Expires) }

// Active is when the key was last used, or else made.
func (k *Key) Active() time.Time {
	if k.LastUsed.After(k.Created) {
		return k.LastUsed
	}
	return k.Created
}

// LiveAt reports whether the key opens something at a time: it has not expired, and one of
// a login has not been idle for too long.
func (k *Key) LiveAt(now time.Time) bool {
	return !k.ExpiredAt(now) && !(k.Login && k.Active().Add(LoginIdle).Before(now))
}

// Exceeds reports whether the key lasts longer, or may be used from more places or in
// more organizations, than another one.
func (k *Key) Exceeds(other *Key) bool {
	longer := !other.Expires.IsZero() && (k.Expires.IsZero() || k.Expires.After(other.Expires))
	return longer || !k.Networks.Within(other.Networks) || other.Scope != "" && k.Scope != other.Scope
}

// LastGrant is until when a key that this one issues for somebody else may last; zero: for
// good. What others have does not end with a session.
func (k *Key) LastGrant() time.Time {
	if k.Session {
		return k.Grants
	}
	return k.Expires
}

// Covers reports whether the key acts in an organization, if its account belongs there.
func (k *Key) Covers(organization OrganizationID) bool {
	return k.Scope == "" || k.Scope == organization
}

// Within cuts memberships of its account to those that the key acts in.
func (k *Key) Within(memberships []Membership) []Membership {
	if k.Scope == "" {
		return memberships
	}
	for i := range memberships {
		if memberships[i].Organization == k.Scope {
			return memberships[i : i+1 : i+1]
		}
	}
	return nil
}

// SecretMark tells the secrets of a key apart, and is none. The zero value is any.
type SecretMark [8]byte

// MarkOf returns the mark of the secret that has this hash.
func MarkOf(hash []byte) (m SecretMark) {
	copy(m[:], hash)
	return m
}

// Admits reports whether a secret of the key opens at a time, and until when it does;
// zero is as long as the key is there.
func (k *Key) Admits(secret SecretMark, now time.Time) (ends time.Time, admits bool) {
	switch {
	case k.ExpiredAt(now):
		return time.Time{}, false
	case secret == SecretMark{}, secret == MarkOf(k.SecretHash):
		return k.Expires, true
	case secret != MarkOf(k.PreviousHash) || !now.Before(k.PreviousUntil):
		return time.Time{}, false
	case k.Expires.IsZero() || k.PreviousUntil.Before(k.Expires):
		return k.PreviousUntil, true
	default:
		return k.Expires, true
	}
}
