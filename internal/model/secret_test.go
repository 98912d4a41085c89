package model

import (
	"regexp"
	"strings"
	"testing"
)

// The expression of docs/security/security.md.
var scanned = regexp.MustCompile(`\bsgk_[0-9A-Za-z]{49}\b`)

func TestSecretsHaveAFormThatAScannerCanCheck(t *testing.T) {
	payload := strings.Repeat("Ab3", 14) + "x"
	// The CRC-32 of the payload is 0xb1f70077, by zlib.
	const want = "sgk_Ab3Ab3Ab3Ab3Ab3Ab3Ab3Ab3Ab3Ab3Ab3Ab3Ab3Ab3x" + "3G3vCZ"
	got := FormatSecret(payload)
	if got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	if found := scanned.FindString("password=" + got + "&x"); found != got {
		t.Errorf("a scanner finds %q of %s", found, got)
	}
	if MalformedSecret(got) {
		t.Errorf("%s is malformed", got)
	}
	for i := len(SecretPrefix); i < len(got); i++ {
		if slip := got[:i] + "Z" + got[i+1:]; slip != got && !MalformedSecret(slip) {
			t.Errorf("%s is well-formed, and differs from %s", slip, got)
		}
	}
}

func TestMalformedSecrets(t *testing.T) {
	good := FormatSecret(strings.Repeat("0", SecretPayload))
	for secret, want := range map[string]bool{
		good: false, good + "0": true, good[:len(good)-1]: true, "sgk_": true, good + "\n": true,
		strings.Replace(good, "0", "-", 1): true,
		// What has no prefix is not judged.
		"": false, "sgk": false, "SGK_" + good[4:]: false, strings.Repeat("A", 43): false, "operator-secret": false,
	} {
		if got := MalformedSecret(secret); got != want {
			t.Errorf("MalformedSecret(%q) = %v, want %v", secret, got, want)
		}
	}
}
