package access

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"

	"signet/internal/model"
)

const (
	argonSalt = 16
	argonKey  = 32
)

// argonCost is what a hash takes.
type argonCost struct {
	memory, time uint32 // KiB, and how often it is gone through
	threads      uint8
}

// usualCost is that of new hashes (RFC 9106, section 4: the second recommended option, in
// memory a server can spare for two at a time).
var usualCost = argonCost{memory: 32 * 1024, time: 2, threads: 1}

// mostCost is the most that a stored hash may take to be compared with.
var mostCost = argonCost{memory: 64 * 1024, time: 4, threads: 4}

// mostPasswords is how many passwords may wait to be hashed. One takes some 50 ms, so
// that the last of them waits no longer than a client does.
const mostPasswords = 32

// CodeTooManyPasswords is told where more would wait (503).
const CodeTooManyPasswords = "too_many_passwords"

// hashing lets some passwords be hashed at a time while few others wait: sign-ins may
// take memory for two, and all processors but one.
type hashing struct {
	places  chan struct{}
	waiting atomic.Int32
}

func newHashing() *hashing {
	return &hashing{places: make(chan struct{}, min(max(runtime.GOMAXPROCS(0)-1, 1), 2))}
}

// enter waits for a place, which leave gives back.
func (h *hashing) enter(ctx context.Context) error {
	defer h.waiting.Add(-1)
	if h.waiting.Add(1) > mostPasswords {
		return &model.Error{Kind: model.Unavailable, Code: CodeTooManyPasswords, RetryAfter: 2 * time.Second,
			Message: "Too many people sign in at the moment, please try again."}
	}
	select {
	case h.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *hashing) leave() { <-h.places }

// ValidPassword refuses what is too short to protect anything, or too long to be
// hashed in good time, and what everybody tries first (WantOwnPassword has the rest).
func ValidPassword(password string) error {
	if n := len([]rune(password)); n < 8 || len(password) > 1024 {
		return model.Invalidf("password_invalid", "password", "A password has 8 to 1024 characters.")
	}
	if commonest()[foldPassword(password)] || holdsName(password, product) {
		return passwordCommon()
	}
	return nil
}

// HashPassword returns the encoded argon2id hash of a password.
func (c *Control) HashPassword(ctx context.Context, password string) (string, error) {
	salt := make([]byte, argonSalt)
	rand.Read(salt) // never fails
	key, err := c.argon(ctx, password, salt, usualCost)
	if err != nil {
		return "", err
	}
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, usualCost.memory, usualCost.time,
		usualCost.threads, encode(salt), encode(key)), nil
}

// verifyPassword compares a password with an encoded hash, at the cost that the hash names.
// Without a hash it takes as long as with a new one and is false, so that the time tells
// nothing.
func (c *Control) verifyPassword(ctx context.Context, encoded, password string) (ok bool, err error) {
	cost, salt, want := usualCost, make([]byte, argonSalt), make([]byte, argonKey)
	if encoded != "" {
		if cost, salt, want, err = parseHash(encoded); err != nil {
			return false, err
		}
	}
	got, err := c.argon(ctx, password, salt, cost)
	return err == nil && subtle.ConstantTimeCompare(got, want) == 1 && encoded != "", err
}

// parseHash reads what HashPassword encoded, now or at another cost.
func parseHash(encoded string) (cost argonCost, salt, key []byte, err error) {
	bad := errors.New("a stored password hash cannot be read")
	parts := strings.Split(encoded, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return cost, nil, nil, bad
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &cost.memory, &cost.time, &cost.threads); err != nil {
		return cost, nil, nil, bad
	}
	salt, errSalt := base64.RawStdEncoding.DecodeString(parts[4])
	key, errKey := base64.RawStdEncoding.DecodeString(parts[5])
	if errSalt != nil || errKey != nil || len(key) != argonKey || cost.time == 0 || cost.threads == 0 ||
		cost.memory > mostCost.memory || cost.time > mostCost.time || cost.threads > mostCost.threads {
		return cost, nil, nil, bad
	}
	return cost, salt, key, nil
}

// Derivation is argon2.IDKey, or what a test has in its place: one that counts, or that
// takes less memory and time than it is told to.
type Derivation func(password, salt []byte, time, memory uint32, threads uint8, keyLen uint32) []byte

func (c *Control) argon(ctx context.Context, password string, salt []byte, cost argonCost) ([]byte, error) {
	if err := c.passwords.enter(ctx); err != nil {
		return nil, err
	}
	defer c.passwords.leave()
	return c.derive([]byte(password), salt, cost.time, cost.memory, cost.threads, argonKey), nil
}

// codes of a wrong password that was given along with a valid key.
const (
	codeOldPasswordWrong = "old_password_wrong"
	codePasswordWrong    = "password_wrong"
)

// IsWrongPassword reports whether a call failed because a password was wrong, and
// so counts as a failed login.
func IsWrongPassword(err error) bool {
	var told *model.Error
	return errors.As(err, &told) && (told.Code == codeOldPasswordWrong || told.Code == codePasswordWrong)
}
