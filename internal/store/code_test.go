package store

import (
	"bytes"
	"testing"
	"time"

	"signet/internal/model"
)

// TestCodesOfDifferentRowsDiffer tries rows that say the same when their columns are put one
// after the other.
func TestCodesOfDifferentRowsDiffer(t *testing.T) {
	s := &Store{}
	s.Authenticate([]byte("a key"), nil)
	rows := []coded{
		&codedPassword{Password: Password{Hash: "ab", Scope: "c"}},
		&codedPassword{Password: Password{Hash: "a", Scope: "bc"}},
		&codedPassword{Password: Password{Hash: "abc"}},
		&codedRole{organization: "ab", role: "c"},
		&codedRole{organization: "a", role: "bc"},
		&codedRole{organization: "ab", role: "c", pending: true},
		&membershipRow{organization: "o", joined: 1, since: 2},
		&membershipRow{organization: "o", joined: 2, since: 1},
		&codedAccount{CreatedBy: "o"},
		&codedAccount{CreatedBy: "o", Operator: true},
		&codedKey{Key: "ab", Counter: "c"},
		&codedKey{Key: "a", Counter: "bc"},
		&codedKey{Key: "a", SecretHash: []byte("b"), PreviousHash: []byte("c")},
		&codedKey{Key: "a", SecretHash: []byte("bc")},
		&codedKey{Key: "a", Expires: time.UnixMilli(7)},
		&codedKey{Key: "a", Created: time.UnixMilli(7)},
		&codedKey{Key: "a", Elevated: time.UnixMilli(7)},
		&codedKey{Key: "a", Grants: time.UnixMilli(7)},
		&codedKey{Key: "a", ElevatedWith: "b"},
		&codedKey{Key: "a", Session: true},
	}
	other := &Store{}
	other.Authenticate([]byte("another key"), nil)
	seen := map[[codeSize]byte]int{}
	for i, row := range rows {
		for _, c := range []*codes{s.codes, other.codes} {
			code := c.of(row)
			if code != c.of(row) {
				t.Errorf("row %d has two codes", i)
			}
			if before, known := seen[code]; known {
				t.Errorf("rows %d and %d have the same code", before, i)
			}
			seen[code] = i
		}
	}
}

func BenchmarkCode(b *testing.B) {
	s := &Store{}
	s.Authenticate(bytes.Repeat([]byte{1}, 32), nil)
	for name, row := range map[string]coded{
		"membership": &membershipRow{"Hq3nVt0cXz8Lw2RbKd5mYp7A", model.AccountID{1}, 1795000000000, 1795000000000000},
		"account":    &codedAccount{ID: model.AccountID{1}, CreatedBy: "Hq3nVt0cXz8Lw2RbKd5mYp7A"},
		"key": &codedKey{Key: "Hq3nVt0cXz8Lw2RbKd5mYp7A", SecretHash: make([]byte, 32), PreviousHash: []byte{},
			Counter: "Hq3nVt0cXz8Lw2RbKd5mYp7A"},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.codes.of(row)
			}
		})
	}
}
