package access

import (
	"regexp"
	"strings"

	"github.com/nyaruka/phonenumbers"

	"signet/internal/model"
)

// trunkZero is the zero that is dialled within a country only, as in +49 (0)30.
var trunkZero = regexp.MustCompile(`^(\(?\+\(?(\d{1,3})\)?)\(0\)`)

// number reads a phone number into E.164: with a + as that of its country, without one as it
// is dialled in a region. A number that cannot exist is none.
func number(text, region string) (string, bool) {
	digits := model.PhoneDigits(withoutTrunkZero(text))
	e164, ok := dialled(digits, region)
	if !ok {
		return "", false
	}
	again, ok := dialled(e164, region) // that of a number is itself: one with zeros to drop twice is none
	if !ok || again != e164 {
		return "", false
	}
	return e164, true
}

// withoutTrunkZero drops the zero in parentheses after a country's code; in Italy (39) it
// belongs to the number.
func withoutTrunkZero(text string) string {
	bare := strings.Map(func(r rune) rune {
		if r == '(' || r == ')' || model.PhoneDigits("0"+string(r)) != "0" {
			return r
		}
		return -1
	}, text)
	if found := trunkZero.FindStringSubmatch(bare); found != nil && found[2] != "39" {
		return found[1] + bare[len(found[0]):]
	}
	return text
}

func dialled(digits, region string) (string, bool) {
	parsed, err := phonenumbers.Parse(digits, region)
	if err != nil || phonenumbers.IsPossibleNumberWithReason(parsed) != phonenumbers.IS_POSSIBLE {
		return "", false
	}
	e164 := phonenumbers.Format(parsed, phonenumbers.E164)
	// In North America no area begins with 0 or 1.
	american := strings.HasPrefix(e164, "+1") && strings.HasPrefix(e164[2:], "0") || strings.HasPrefix(e164, "+11")
	return e164, len(e164) >= 8 && len(e164) <= 16 && !american
}

// formerNumber reads a phone number as it was stored before impossible ones were refused:
// with a + its digits as they are.
func formerNumber(text, region string) (string, bool) {
	digits := model.PhoneDigits(text)
	if rest, international := strings.CutPrefix(digits, "+"); international {
		return digits, len(rest) >= 7 && len(rest) <= 15 && rest[0] != '0'
	}
	parsed, err := phonenumbers.Parse(digits, region)
	if err != nil {
		return "", false
	}
	e164 := phonenumbers.Format(parsed, phonenumbers.E164)
	return e164, len(e164) >= 8 && len(e164) <= 16
}

// spellings are the forms under which what a text names may be stored: today's, and after a
// change of the rules, the one by the rules before. What was stored under that one comes
// first, so that an address goes on naming whom it named.
func spellings(text, region string) []model.Address {
	address := readAddress(text, region)
	if address.Kind == model.EmailAddress {
		return emailSpellings(text)
	}
	if address.Kind == model.PhoneAddress || address.Kind == model.UsernameAddress {
		digits, ok := formerNumber(text, region)
		if former := (model.Address{Kind: model.PhoneAddress, Value: digits}); ok && former != address {
			return []model.Address{former, address}
		}
	}
	return []model.Address{address}
}
