package access

import (
	"testing"

	"github.com/nyaruka/phonenumbers"
)

func TestNumbersThatCannotExistAreNone(t *testing.T) {
	for _, test := range []struct{ text, region, want string }{
		{"0049 30 12341938", "US", ""},
		{"030 12342484", "US", ""},
		{"0301234248", "US", ""},
		{"+1 115 555 0100", "US", ""},
		{"491701234567", "US", ""},
		{"+999 123456789", "US", ""},
		{"555-0100", "US", ""},
		{"+49 00 30 123456", "DE", ""},
		{"0049 30 12341938", "DE", "+493012341938"},
		{"030 12342484", "DE", "+493012342484"},
		{"011 49 30 12341938", "US", "+493012341938"},
		{"(415) 555-2671", "US", "+14155552671"},
		{"+49 (0)30 123456", "US", "+4930123456"},
		{"(+49) (0) 30 123456", "US", "+4930123456"},
		{"+49 030 123456", "US", "+4930123456"},
		{"+48 (0)22 5551234", "US", "+48225551234"},
		{"+39 (0)6 12345678", "US", "+390612345678"},
		{"\u202a+49\u00a030/123\u2011456\u202c", "US", "+4930123456"},
		{"＋４９（３０）１２３４５６", "US", "+4930123456"},
		{"+٤٩ ۳۰ 123456", "US", "+4930123456"},
		{"alice", "US", ""},
		{"+49 30 123456 ext 7", "US", ""},
	} {
		if got, ok := number(test.text, test.region); ok != (test.want != "") || ok && got != test.want {
			t.Errorf("number(%q, %s) = %q, %v; want %q", test.text, test.region, got, ok, test.want)
		}
	}
}

// Whatever way a number is written in is the same number.
func TestEveryCountrysNumbersAreRead(t *testing.T) {
	for region := range phonenumbers.GetSupportedRegions() {
		for _, kind := range []phonenumbers.PhoneNumberType{phonenumbers.FIXED_LINE, phonenumbers.MOBILE} {
			example := phonenumbers.GetExampleNumberForType(region, kind)
			if example == nil {
				continue
			}
			want := phonenumbers.Format(example, phonenumbers.E164)
			for _, format := range []phonenumbers.PhoneNumberFormat{
				phonenumbers.E164, phonenumbers.INTERNATIONAL, phonenumbers.NATIONAL} {
				if region == "AR" && format == phonenumbers.NATIONAL {
					continue // the library writes the mobile numbers of Argentina as it does not read them
				}
				text := phonenumbers.Format(example, format)
				if got, ok := number(text, region); !ok || got != want {
					t.Errorf("number(%q, %s) = %q, %v; want %q", text, region, got, ok, want)
				}
			}
		}
	}
}

func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"", "0049 30 12341938", "+49 (0)30 123", "+490030123456", "+39 06 1234567", "٣٤",
		"+54 9 343 555 1212", "0343 15 555 1212"} {
		f.Add(seed, "US")
		f.Add(seed, "DE")
		f.Add(seed, "AR")
	}
	f.Fuzz(func(t *testing.T, text, region string) {
		once, ok := number(text, region)
		if !ok {
			return
		}
		if twice, ok := number(once, region); !ok || twice != once {
			t.Fatalf("number(%q) = %q, and of this %q, %v", text, once, twice, ok)
		}
	})
}
