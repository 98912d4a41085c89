package input

import (
	"strings"
	"testing"
)

func TestTextsAreReadInTheCharsetThatTheyDeclare(t *testing.T) {
	h := start(t, &Reader[int]{Limits: Limits{BodyBytes: 1000}}, func(b *Body[int], _ *Fields) any { return b.Text("a") })
	const latin = "Gr\xfc\xdfe"
	typed := func(contentType, text string) string {
		return "Content-Disposition: form-data; name=a\nContent-Type: " + contentType + "\n\n" + text
	}
	for _, c := range []struct {
		what, contentType, body string
		want                    string // empty: refused
		status                  int
		code, field             string
	}{
		{what: "JSON", contentType: "application/json; charset=ISO-8859-1", body: `{"a":"` + latin + `"}`, want: "Grüße"},
		{what: "JSON, quoted", contentType: `application/json;Charset="windows-1252"`, body: "{\"a\":\"\x80\"}", want: "€"},
		{what: "JSON in UTF-8", contentType: "application/json; charset=UTF-8", body: `{"a":"Grüße"}`, want: "Grüße"},
		{what: "JSON in another", contentType: "application/json; charset=utf-16", body: `{"a":"x"}`, status: 415,
			code: CodeTypeUnsupported},
		{what: "JSON in none", contentType: "application/json; charset=", body: `{"a":"Grüße"}`, want: "Grüße"},
		{what: "JSON that is not what it says", contentType: "application/json; charset=utf-8", body: `{"a":"` + latin +
			`"}`, status: 400, code: CodeTextInvalid, field: "a"},
		{what: "form", contentType: typeForm + "; charset=iso-8859-1", body: "a=Gr%FC%dfe", want: "Grüße"},
		{what: "form, bare", contentType: "application/x-www-form-urlencoded; charset=latin1", body: "a=" + latin,
			want: "Grüße"},
		{what: "form that says it in a field", contentType: typeForm, body: "a=Gr%FC%dfe&_charset_=windows-1252",
			want: "Grüße"},
		{what: "form in UTF-8 that says so", contentType: typeForm, body: "_charset_=UTF-8&a=Gr%C3%BC%C3%9Fe", want: "Grüße"},
		{what: "form in another", contentType: "application/x-www-form-urlencoded; charset=koi8-r", body: "a=x", status: 415,
			code: CodeTypeUnsupported},
		{what: "form that says another", contentType: typeForm, body: "a=x&_charset_=koi8-r", status: 415,
			code: CodeTypeUnsupported, field: "_charset_"},
		{what: "form in ASCII", contentType: "application/x-www-form-urlencoded; charset=us-ascii", body: "a=x", want: "x"},
		{what: "part", body: parts(typed("text/plain; charset=ISO-8859-1", latin)), want: "Grüße"},
		{what: "part in windows-1252", body: parts(typed("text/plain; charset=windows-1252", "5 \x80")), want: "5 €"},
		{what: "part that says ISO-8859-1 and is not", body: parts(typed("text/plain; charset=ISO-8859-1", "5 \x80")),
			want: "5 €"},
		{what: "part that is nothing", body: parts(typed("text/plain; charset=windows-1252", "\xfc\x81")), status: 400,
			code: CodeTextInvalid, field: "a"},
		{what: "JSON that is nothing", contentType: "application/json; charset=windows-1252", body: "{\"a\":\"\xfc\x81\"}",
			status: 400, code: CodeTextInvalid, field: "a"},
		{what: "form that is nothing", contentType: typeForm + "; charset=windows-1252", body: "a=%fc%81", status: 400,
			code: CodeTextInvalid, field: "a"},
		{what: "part in UTF-8", body: parts(typed("text/plain; charset=UTF-8", "Grüße")), want: "Grüße"},
		{what: "part in ASCII", body: parts(typed("text/plain; charset=US-ASCII", "x")), want: "x"},
		{what: "part that is not ASCII", body: parts(typed("text/plain; charset=US-ASCII", latin)), status: 400,
			code: CodeTextInvalid, field: "a"},
		{what: "part in none", body: parts(textPart("a", latin)), status: 400, code: CodeTextInvalid, field: "a"},
		{what: "part in another", body: parts(typed("text/plain; charset=Shift_JIS", "x")), status: 415,
			code: CodeTypeUnsupported, field: "a"},
		{what: "part after the charset of all", body: parts(textPart("_charset_", "iso-8859-1"), textPart("a", latin)),
			want: "Grüße"},
		{what: "part with its own", body: parts(textPart("_charset_", "iso-8859-1"), typed("text/plain; charset=utf-8",
			"Grüße")), want: "Grüße"},
		{what: "parts in another", body: parts(textPart("_charset_", "utf-7"), textPart("a", "x")), status: 415,
			code: CodeTypeUnsupported, field: "_charset_"},
		{what: "a file in another, which no field is", body: parts("Content-Disposition: form-data; name=b; filename=x\n"+
			"Content-Type: text/csv; charset=utf-16\n\nx", textPart("a", "y")), want: "y"},
	} {
		contentType := c.contentType
		if contentType == "" {
			contentType = multipartContent
		}
		got := h.post(contentType, strings.NewReader(c.body))
		if c.want == "" {
			if got.Status != c.status || got.Code != c.code || got.Field != c.field {
				t.Errorf("%s: got %+v, want %d %s %s", c.what, got, c.status, c.code, c.field)
			}
		} else if got.Status != 200 || got.Reply != c.want {
			t.Errorf("%s: got %+v, want %s", c.what, got, c.want)
		}
	}
}

func TestAFileKeepsTheNameThatItsUserGaveIt(t *testing.T) {
	h, sink := upload(t)
	for disposition, want := range map[string]string{
		`filename="a b.txt"`: "a b.txt", `filename=a.txt`: "a.txt", `filename="Übersicht.pdf"`: "Übersicht.pdf",
		"filename=\"\xdcbersicht.pdf\"":                             "Übersicht.pdf", // as browsers of old and Java write it
		`filename*=UTF-8''%C3%9Cbersicht.pdf`:                       "Übersicht.pdf",
		`filename*=utf-8'de'%C3%9Cbersicht.pdf; filename="x.pdf"`:   "Übersicht.pdf",
		`filename="x.pdf"; filename*=UTF-8''%C3%9Cbersicht.pdf`:     "Übersicht.pdf",
		`filename*=ISO-8859-1''%FCber.txt`:                          "über.txt",
		`filename*=iso-8859-1'en'%A3%20rates.txt; filename="_.txt"`: "£ rates.txt",
		`filename*=UTF-8''%FCber.txt`:                               "über.txt", // which is not what it says
		`filename="good.txt"; filename*=UTF-8''bad%zz.txt`:          "good.txt",
		`filename*=UTF-8''bad%zz.txt; filename="good.txt"`:          "good.txt",
		`filename*=UTF-8''bad%zz.txt`:                               "bad%zz.txt",
		`filename*=koi8-r''%C1.txt; filename="good.txt"`:            "good.txt",
		`filename*=nothing.txt`:                                     "nothing.txt",
		`filename="=?UTF-8?B?w5xiZXJzaWNodC5wZGY=?="`:               "Übersicht.pdf",
		`filename="=?ISO-8859-1?Q?=DCbersicht.pdf?="`:               "Übersicht.pdf",
		`filename="=?windows-1252?Q?5_=80.pdf?="`:                   "5 €.pdf",
		`filename="=?koi8-r?B?wQ==?="`:                              "=?koi8-r?B?wQ==?=",
		`filename="a; filename*=UTF-8''b.txt"`:                      "a; filename*=UTF-8''b.txt",
		`filename="a\"; filename*=b.txt"`:                           `a"; filename*=b.txt`,
		`filename*0="long "; filename*1="name.txt"`:                 "long name.txt",
		`filename*=UTF-8''..%2F..%2Fetc%2Fpasswd`:                   "passwd",
		`filename*=UTF-8''a%00%0Ab.txt`:                             "ab.txt",
		`filename="a%20b.txt"`:                                      "a%20b.txt",
		"filename=\"\ufffd\ufffd.txt\"":                             ".txt",
	} {
		got := h.postParts("Content-Disposition: form-data; name=attachment; "+disposition+"\n\nx",
			textPart("recipient", "bob"))
		if got.Status != 200 {
			t.Errorf("%s: got %+v", disposition, got)
			continue
		}
		id := int(got.Reply.([]any)[1].(float64))
		if name, _, _ := strings.Cut(sink.kept[id], "|"); name != want {
			t.Errorf("%s: got %q, want %q", disposition, name, want)
		}
	}
}
