package api_test

import (
	"net/url"
	"testing"
)

// A number that cannot exist is refused, so that nobody has two addresses for one.
func TestPhoneNumbersThatCannotExistAreRefused(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for _, text := range []string{"0049 30 12341938", "030 12342484", "491701234567", "+1 015 555 0100", "+999 1234567"} {
		c.operator.post("/v2/user", fields{"phone": text}, in(c.org)).wantError(400, "phone_invalid").wantField("phone")
		c.operator.get("/v2/user_lookup/" + url.PathEscape(text)).wantMissing()
	}
}

// However a number is written, it is one.
func TestPhoneNumberIsOneInEveryForm(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.operator.post("/v2/user", fields{"phone": "\u202a+49\u00a0(0)30/123\u2011456\u202c", "username": "ann",
		"password": "a meadow at noon"}, in(c.org)).reply().
		wantFields(fields{"phones": []fields{{"number": "+4930123456", "verified": false}}})
	for _, text := range []string{"+4930123456", "+49 (0)30 12 34 56", "+49 030 123456", "011 49 30 123456",
		"\u202a+49 30\u2013123456\u202c", "+49.30.123.456", "＋４９３０１２３４５６"} {
		c.operator.get("/v2/user_lookup/" + url.PathEscape(text)).reply().wantFields(fields{"username": "ann"})
		c.operator.post("/v2/user", fields{"phone": text}, in(c.org)).wantError(400, "address_taken").wantField("phone")
		c.operator.post("/v2/search", fields{"phone": text}, in(c.org))
	}
}
