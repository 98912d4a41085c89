package postgres

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"signet/internal/store/engine"

	"github.com/jackc/pgx/v5/pgtype"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1": "SELECT 1",
		" SELECT a FROM t WHERE b = ? AND c < ? ":        "SELECT a FROM t WHERE b = $1 AND c < $2",
		"SELECT '?', \"a?\", 'it''s ?' FROM t WHERE b=?": "SELECT '?', \"a?\", 'it''s ?' FROM t WHERE b=$1",
		"SELECT 1 -- ? no\n, ?":                          "SELECT 1 -- ? no\n, $1",
		"DELETE FROM t WHERE a IN (?*) AND b = ?":        "DELETE FROM t WHERE a = ANY($1) AND b = $2",
		"DELETE FROM t WHERE a IN  (?*)":                 "DELETE FROM t WHERE a = ANY($1)",
		"SELECT a FROM unnest(?*) AS a":                  "SELECT a FROM unnest($1) AS a",
		"SELECT a FROM t WHERE (a, b) IN (SELECT ?)":     "SELECT a FROM t WHERE (a, b) IN (SELECT $1)",
	} {
		q, err := parse(text)
		if err != nil || q.text != want {
			t.Errorf("%q became %q, error %v, want %q", text, q.text, err, want)
		}
	}
	for _, text := range []string{"", "BEGIN", "commit", "SET x = 1", "LOCK TABLE t",
		"SELECT a FROM t WHERE a NOT IN (?*)", "SELECT f(?*)"} {
		if _, err := parse(text); !errors.Is(err, engine.ErrSyntax) {
			t.Errorf("%q: error %v", text, err)
		}
	}
	if _, err := parse("SELECT 'a"); err == nil {
		t.Error("an open literal was taken")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("SELECT a FROM t WHERE b = ? AND c IN (?*) -- ?\n AND d = '?'")
	f.Fuzz(func(t *testing.T, text string) {
		if q, err := parse(text); err == nil && len(q.Placeholders) > 0 && q.text == text {
			t.Errorf("%q holds %d placeholders and stayed", text, len(q.Placeholders))
		}
	})
}

func TestWholeNumeric(t *testing.T) {
	// numeric makes the binary form: the power of the first digit, the sign, the digits.
	numeric := func(power int, sign uint16, digits ...uint16) []byte {
		raw := binary.BigEndian.AppendUint16(nil, uint16(len(digits)))
		raw = binary.BigEndian.AppendUint16(raw, uint16(int16(power)))
		raw = binary.BigEndian.AppendUint16(raw, sign)
		raw = binary.BigEndian.AppendUint16(raw, 0)
		for _, d := range digits {
			raw = binary.BigEndian.AppendUint16(raw, d)
		}
		return raw
	}
	for _, test := range []struct {
		raw  []byte
		want int64
		bad  bool
	}{
		{raw: numeric(0, 0), want: 0},
		{raw: numeric(0, 0, 7), want: 7},
		{raw: numeric(0, 0x4000, 7), want: -7},
		{raw: numeric(2, 0, 3), want: 300_000_000},
		{raw: numeric(1, 0, 12, 3456), want: 123456},
		{raw: numeric(0, 0, 12, 0), want: 12},
		{raw: numeric(4, 0, 922, 3372, 368, 5477, 5807), want: math.MaxInt64},
		{raw: numeric(4, 0x4000, 922, 3372, 368, 5477, 5808), want: math.MinInt64},
		{raw: numeric(4, 0, 922, 3372, 368, 5477, 5808), bad: true},
		{raw: numeric(4, 0x4000, 922, 3372, 368, 5477, 5809), bad: true},
		{raw: numeric(9, 0, 1), bad: true},
		{raw: numeric(-1, 0, 5000), bad: true},
		{raw: numeric(0, 0xC000), bad: true}, // NaN
		{raw: []byte{0, 1}, bad: true},
		{raw: numeric(0, 0, 7)[:9], bad: true},
	} {
		n, err := number(pgtype.NumericOID, test.raw)
		if n != test.want || (err != nil) != test.bad {
			t.Errorf("% x is %d, error %v, want %d", test.raw, n, err, test.want)
		}
	}
}
