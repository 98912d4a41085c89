package model

import (
	"crypto/rand"
	"hash/crc32"
	"math/big"
	"strings"
)

// The form of secrets, which a scanner of source code or logs can find and check
// without a server (docs/security/security.md): the prefix, 43 random characters of
// [0-9A-Za-z] (256 bits), and 6 that are the CRC-32 of these.
const (
	SecretPrefix  = "sgk_"
	SecretPayload = 43 // characters
	secretSum     = 6  // characters: 62^6 is more than 2^32
)

// Base62 is the alphabet of secrets, in the order of its digits.
const Base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// RandomText returns n random characters of Base62; 43 hold 256 bits.
func RandomText(n int) string {
	out := make([]byte, n)
	size := big.NewInt(int64(len(Base62)))
	for i := range out {
		k, err := rand.Int(rand.Reader, size)
		if err != nil {
			panic(err) // crypto/rand never fails: it ends the program instead
		}
		out[i] = Base62[k.Int64()]
	}
	return string(out)
}

// FormatSecret makes a secret of its random characters.
func FormatSecret(payload string) string {
	return SecretPrefix + payload + checksum(payload)
}

// MalformedSecret reports whether a secret has the prefix and yet was never made by
// FormatSecret: a part of it is missing, or was mistyped. One without the prefix is not
// judged.
func MalformedSecret(secret string) bool {
	rest, prefixed := strings.CutPrefix(secret, SecretPrefix)
	if !prefixed {
		return false
	}
	if len(rest) != SecretPayload+secretSum || strings.Trim(rest, Base62) != "" {
		return true
	}
	return checksum(rest[:SecretPayload]) != rest[SecretPayload:]
}

// checksum is the CRC-32 (IEEE 802.3) of a text as a number of base 62, the most
// significant digit first.
func checksum(payload string) string {
	sum := crc32.ChecksumIEEE([]byte(payload))
	var digits [secretSum]byte
	for i := range digits {
		digits[secretSum-1-i] = Base62[sum%62]
		sum /= 62
	}
	return string(digits[:])
}
