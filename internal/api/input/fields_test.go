package input

import (
	"bytes"
	"mime/multipart"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"signet/internal/model"
)

func mustParse(t *testing.T, body string) *Fields {
	t.Helper()
	f := new(Fields)
	if fault := parseJSON([]byte(body), f); fault != nil {
		t.Fatalf("%s: %v", body, fault)
	}
	return f
}

func mustParseForm(t *testing.T, body string) *Fields {
	t.Helper()
	f := new(Fields)
	if fault := parseForm(body, nil, f); fault != nil {
		t.Fatalf("%s: %v", body, fault)
	}
	return f
}

func TestFieldsReadEveryKnownType(t *testing.T) {
	both := func(value string) string { return `{"f":` + value + `}` }
	form := func(value string) string { return "f=" + url.QueryEscape(value) }
	text := func(f *Fields) any { return f.Text("f") }
	optionalText := func(f *Fields) any { return f.OptionalText("f") }
	requiredText := func(f *Fields) any { return f.RequiredText("f") }
	integer := func(f *Fields) any { return f.Int("f") }
	optionalInt := func(f *Fields) any { return f.OptionalInt("f") }
	between := func(f *Fields) any { return f.IntBetween("f", 1, 1000, 100) }
	boolean := func(f *Fields) any { return f.Bool("f") }
	optionalBool := func(f *Fields) any { return f.OptionalBool("f") }
	scalar := func(f *Fields) any { return string(f.Scalar("f")) }
	list := func(f *Fields) any { return f.List("f") }
	raw := func(f *Fields) any { return string(f.Raw("f")) }
	raws := func(f *Fields) any {
		var all []string
		for _, text := range f.Raws("f") {
			all = append(all, string(text))
		}
		return strings.Join(all, " ")
	}
	const wrong = CodeFieldInvalid
	for _, c := range []struct {
		name string
		body string // JSON if it starts with a brace
		get  func(*Fields) any
		want any
		code string
	}{
		{"text", both(`"a b"`), text, "a b", ""},
		{"text with escapes", both(`"a\t\"\u00e9\ud83d\ude00\/"`), text, "a\t\"é😀/", ""},
		{"text of a form", form("a+b & c=é"), text, "a+b & c=é", ""},
		{"text that is empty", both(`""`), optionalText, new(""), ""},
		{"text that is absent", `{}`, optionalText, (*string)(nil), ""},
		{"text that is null", both(`null`), optionalText, (*string)(nil), ""},
		{"text that is a number", both(`1`), text, "", wrong},
		{"text that is a boolean", both(`true`), text, "", wrong},
		{"text that is a list", both(`["a"]`), text, "", wrong},
		{"text that is an object", both(`{}`), text, "", wrong},
		{"text with U+0000", both(`"a\u0000"`), text, "", CodeTextInvalid},
		{"text of a form with U+0000", "f=%00", text, "", CodeTextInvalid},
		{"text twice in a form", "f=a&f=b", text, "", CodeFieldRepeated},
		{"required text", both(`"a"`), requiredText, "a", ""},
		{"required text that is absent", `{}`, requiredText, "", "f_required"},
		{"required text that is blank", both(`" "`), requiredText, " ", "f_required"},
		{"required text of the wrong type", both(`1`), requiredText, "", wrong},

		{"number", both(`30`), integer, 30, ""},
		{"number below zero", both(`-1`), integer, -1, ""},
		{"number as text", both(`"30"`), integer, 30, ""},
		{"number of a form", "f=-1", integer, -1, ""},
		{"number with a fraction of zero", both(`30.0`), optionalInt, new(30), ""},
		{"number with an exponent", both(`1e2`), integer, 100, ""},
		{"number with a fraction", both(`1.5`), integer, 0, wrong},
		{"number as text with a fraction", both(`"1.0"`), integer, 0, wrong},
		{"number as text with a blank", both(`" 1"`), integer, 0, wrong},
		{"number as text with a plus", both(`"+1"`), integer, 0, wrong},
		{"number as empty text", both(`""`), integer, 0, wrong},
		{"number that nobody filled in", "f=", optionalInt, (*int)(nil), ""},
		{"number past the range", both(`9223372036854775808`), integer, 0, wrong},
		{"number far past the range", both(`1e400`), integer, 0, wrong},
		{"number that is a boolean", both(`true`), integer, 0, wrong},
		{"number that is a list", both(`[1]`), integer, 0, wrong},
		{"number that is null", both(`null`), optionalInt, (*int)(nil), ""},
		{"number twice in a form", "f=1&f=1", integer, 0, CodeFieldRepeated},
		{"number in bounds", both(`1000`), between, 1000, ""},
		{"number that is absent", `{}`, between, 100, ""},
		{"number below its bounds", both(`0`), between, 100, wrong},
		{"number above its bounds", "f=1001", between, 100, wrong},

		{"boolean", both(`true`), boolean, true, ""},
		{"boolean as text", both(`"false"`), optionalBool, new(false), ""},
		{"boolean as a digit", both(`"1"`), boolean, true, ""},
		{"boolean as a number", both(`0`), optionalBool, new(false), ""},
		{"boolean of a form", "f=true", boolean, true, ""},
		{"boolean as Python writes it", "f=True", boolean, true, ""},
		{"boolean that is absent", `{}`, optionalBool, (*bool)(nil), ""},
		{"boolean that is another text", both(`"yes"`), boolean, false, wrong},
		{"boolean that is another number", both(`2`), boolean, false, wrong},
		{"boolean as empty text", both(`""`), boolean, false, wrong},
		{"boolean that nobody filled in", "f=", optionalBool, (*bool)(nil), ""},
		{"boolean that is a list", both(`[]`), boolean, false, wrong},
		{"boolean twice in a form", "f=1&f=0", boolean, false, CodeFieldRepeated},

		{"list", both(`["a","b,c"," d "]`), list, []string{"a", "b,c", " d "}, ""},
		{"list as text", both(`"a, b,,c,"`), list, []string{"a", "b", "c"}, ""},
		{"list of a form", form("a,b"), list, []string{"a", "b"}, ""},
		{"list of a form, repeated", "f=a&g=x&f=b,c", list, []string{"a", "b", "c"}, ""},
		{"list that is empty", both(`[]`), list, []string{}, ""},
		{"list that is empty in a form", "f=", list, []string{}, ""},
		{"list that is absent", `{}`, list, []string(nil), ""},
		{"list that is null", both(`null`), list, []string(nil), ""},
		{"list of numbers", both(`[1]`), list, []string(nil), wrong},
		{"list with a null", both(`["a",null]`), list, []string(nil), wrong},
		{"list that is a number", both(`1`), list, []string(nil), wrong},
		{"list that is an object", both(`{}`), list, []string(nil), wrong},
		{"list with U+0000", both(`["a\u0000"]`), list, []string(nil), CodeTextInvalid},

		{"any scalar: number", both(`1.50`), scalar, "1.50", ""},
		{"any scalar: boolean", both(`true`), scalar, "true", ""},
		{"any scalar: text", both(`"x"`), scalar, `"x"`, ""},
		{"any scalar: text of a form", "f=1", scalar, `"1"`, ""},
		{"any scalar: list", both(`[]`), scalar, "", wrong},

		{"nested", both(`[{"a": "b"}]`), raw, `[{"a": "b"}]`, ""},
		{"nested text", both(`"a\n"`), raw, `"a\n"`, ""},
		{"nested in a form", form(`{"must":{"any":"bo"}}`), raw, `{"must":{"any":"bo"}}`, ""},
		{"nested in a form, malformed", form(`{"must":`), raw, "", CodeBodyInvalid},
		{"nested in a form, repeated names", form(`{"a":1,"a":2}`), raw, "", CodeFieldRepeated},
		{"nested in a form, second value", form(`{}{}`), raw, "", CodeBodyInvalid},
		{"nested that nobody filled in", "f=", raw, "", ""},
		{"nested twice in a form", "f={}&f={}", raw, "", CodeFieldRepeated},
		{"nested list in a form, repeated", "f={}&f=&f=[1]", raws, "{} [1]", ""},
		{"nested list in a form, one malformed", "f={}&f={", raws, "", CodeBodyInvalid},
		{"nested list", both(`[1, 2]`), raws, "[1, 2]", ""},
		{"nested as deep as in JSON", form(strings.Repeat("[", 31) + strings.Repeat("]", 31)), raw,
			strings.Repeat("[", 31) + strings.Repeat("]", 31), ""},
		{"nested deeper than in JSON", form(strings.Repeat("[", 32) + strings.Repeat("]", 32)), raw, "", CodeBodyTooDeep},
	} {
		t.Run(c.name, func(t *testing.T) {
			var f *Fields
			if strings.HasPrefix(c.body, "{") {
				f = mustParse(t, c.body)
			} else {
				f = mustParseForm(t, c.body)
			}
			got := c.get(f)
			code := ""
			if f.fault != nil {
				code = f.fault.Code
				if f.fault.Field != "f" || f.fault.Kind != model.Invalid {
					t.Errorf("%s: the fault is %#v, want one of field f", c.body, f.fault)
				}
			}
			if code != c.code || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: got %#v %q, want %#v %q", c.body, got, code, c.want, c.code)
			}
		})
	}
}

func TestFieldsKeepTheFirstFault(t *testing.T) {
	f := mustParse(t, `{"a":1,"b":[],"c":true}`)
	f.Int("a")
	f.Text("b")
	f.Text("c")
	if f.fault == nil || f.fault.Field != "b" {
		t.Errorf("got %v, want the fault of b", f.fault)
	}
}

func TestFieldsIgnoreWhatNobodyReads(t *testing.T) {
	f := mustParse(t, `{"known":"x","unknown":{"deep":[1,2,{"a":null}]}}`)
	if got := f.Text("known"); got != "x" || f.fault != nil {
		t.Errorf("got %q %v", got, f.fault)
	}
}

func TestFieldsListNamesWithoutNulls(t *testing.T) {
	if got := mustParse(t, `{"b":"1","a":null,"c":2}`).Names(); !reflect.DeepEqual(got, []string{"b", "c"}) {
		t.Errorf("got %q", got)
	}
	f := mustParse(t, `{"b":"1","a":null}`)
	if !f.Has("b") || f.Has("a") || f.Has("x") {
		t.Error("Has takes null for a value, or the other way round")
	}
}

func TestFieldsDecodeNestedValues(t *testing.T) {
	var data []model.DataItem
	f := mustParse(t, `{"data":[{"mimetype":"application/json","namespace":"ns","payload":"{}"}],`+
		`"wrong":[{"payload":{}}]}`)
	if !f.Decode("data", &data, "a list of objects") || len(data) != 1 || data[0].MimeType != "application/json" {
		t.Errorf("got %+v", data)
	}
	if f.Decode("absent", &data, "a list of objects") || f.fault != nil {
		t.Error("an absent field was decoded")
	}
	if f.Decode("wrong", &data, "a list of objects") || f.fault == nil || f.fault.Field != "wrong" {
		t.Errorf("a payload that is no text was decoded: %+v %v", data, f.fault)
	}
}

func TestFieldsFindAmongMany(t *testing.T) {
	var body strings.Builder
	for i := range 100 {
		body.WriteString("n" + strings.Repeat("x", i) + "=v&n" + strings.Repeat("x", i) + "=w&")
	}
	f := mustParseForm(t, body.String())
	if got := f.List("n" + strings.Repeat("x", 77)); !reflect.DeepEqual(got, []string{"v", "w"}) || len(f.list) != 100 {
		t.Errorf("got %q of %d fields", got, len(f.list))
	}
	if f.Has("y") {
		t.Error("a name that was not sent is there")
	}
}

func TestWholeNumber(t *testing.T) {
	for s, want := range map[string]int64{
		"0": 0, "-0": 0, "7": 7, "-7": -7, "1.0": 1, "1.000e3": 1000, "1e2": 100, "1E+2": 100, "100e-2": 1, "-12.30e1": -123,
		"0e999999999999999999999": 0, "0.0e-99999999999999999999": 0, "0.000": 0, "9223372036854775807": 1<<63 - 1,
		"-9223372036854775808": -1 << 63, "9.223372036854775807e18": 1<<63 - 1, "0.00000000000000000000000001e26": 1,
		"10000000000000000000000e-22": 1, "1e18": 1e18,
	} {
		if got, ok := wholeNumber(s); !ok || got != want {
			t.Errorf("%s: got %d %v, want %d", s, got, ok, want)
		}
	}
	for _, s := range []string{
		"1.5", "1e-1", "15e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e999999999999999999999",
		"1e-999999999999999999999",
		"0.1", "1.00000000000000000001", "123456789012345678901e-1",
	} {
		if got, ok := wholeNumber(s); ok {
			t.Errorf("%s: got %d, want none", s, got)
		}
	}
}

func TestQueryForgivesWhatNobodyReads(t *testing.T) {
	var f Fields
	ParseQuery("limit=5&broken=%zz&%zz=x&utf8=%ff&&empty&plus=a+b&pct=100%", 0, &f)
	if f.Int("limit") != 5 || f.Text("plus") != "a b" || f.OptionalText("empty") == nil || f.fault != nil {
		t.Errorf("got %+v, fault %v", f.list, f.fault)
	}
	for _, name := range []string{"broken", "utf8", "pct"} {
		g := Fields{list: f.list}
		if g.Text(name); g.fault == nil || g.fault.Field != name {
			t.Errorf("%s: got %v, want a fault", name, g.fault)
		}
	}
}

func TestParseForm(t *testing.T) {
	for _, c := range []struct{ body, code, field string }{
		{"", "", ""}, {"&&", "", ""}, {"a", "", ""}, {"a=b=c", "", ""}, {"a=%2B+%20", "", ""}, {"a=;b", "", ""},
		{"a=%", CodeBodyInvalid, "a"}, {"a=%2", CodeBodyInvalid, "a"}, {"a=%zz", CodeBodyInvalid, "a"}, {"%zz=a",
			CodeBodyInvalid, ""},
		{"a=%ff", CodeTextInvalid, "a"}, {"a=\xff", CodeTextInvalid, "a"}, {"%ff=a", CodeTextInvalid, ""},
	} {
		var f Fields
		code, field := "", ""
		if fault := parseForm(c.body, nil, &f); fault != nil {
			code, field = fault.Code, fault.Field
		}
		if code != c.code || field != c.field {
			t.Errorf("%q: got %q of %q, want %q of %q", c.body, code, field, c.code, c.field)
		}
	}
}

func FuzzParseForm(f *testing.F) {
	for _, seed := range []string{"", "a=b&c=d", "members=x&members=y,z", "ttl=-1&dor=true&body=hello+world%21", "a=%",
		"%ff=%00", "data=%5B%7B%7D%5D", "a=&=b&&"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var got Fields
		if fault := parseForm(body, nil, &got); fault != nil {
			if fault.Kind != model.Invalid {
				t.Fatalf("got %v", fault)
			}
			return
		}
		values := url.Values{}
		for _, given := range got.list {
			values[given.name] = append([]string{given.text}, given.more...)
		}
		want, err := url.ParseQuery(strings.ReplaceAll(body, ";", "%3B"))
		if err != nil || !reflect.DeepEqual(values, want) {
			t.Fatalf("got %q, net/url says %q (%v)", values, want, err)
		}
		// What was read once reads the same again.
		var second Fields
		if fault := parseForm(values.Encode(), nil, &second); fault != nil {
			t.Fatalf("written again as %s, refused with %v", values.Encode(), fault)
		}
		for _, given := range got.list {
			if repeated := second.get(given.name); repeated == nil || repeated.text != given.text ||
				!reflect.DeepEqual(repeated.more, given.more) {
				t.Fatalf("%q: got %+v the second time, %+v the first", given.name, repeated, given)
			}
		}
		exercise(&got)
	})
}

// TestFieldsAreTheSameInEveryContentType sends one request in three ways.
func TestFieldsAreTheSameInEveryContentType(t *testing.T) {
	h := start(t, &Reader[int]{}, func(b *Body[int], _ *Fields) any {
		return []any{b.Text("recipient"), b.Text("body"), b.Int("ttl"), b.Bool("dor"), b.List("members"), b.Raw("data"),
			b.OptionalText("absent")}
	})
	want := []any{"bob@example.com", "hello & é", -1.0, true, []any{"a", "b"}, []any{map[string]any{"payload": "p"}}, nil}
	var parts bytes.Buffer
	w := multipart.NewWriter(&parts)
	for _, part := range [][2]string{{"recipient", "bob@example.com"}, {"body", "hello & é"}, {"ttl", "-1"}, {"dor", "1"},
		{"members", "a"}, {"members", "b"}, {"data", `[{"payload":"p"}]`}, {"unknown", "x"}} {
		if err := w.WriteField(part[0], part[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const texts = `"ttl":"-1","dor":"true","members":"a,b","data":[{"payload":"p"}]}`
	for contentType, body := range map[string]string{
		"application/json": `{"recipient":"bob@example.com","body":"hello & \u00e9","ttl":-1,"dor":true,` +
			`"members":["a","b"],"data":[{"payload":"p"}],"unknown":0}`,
		"Application/JSON; charset=utf-8": `{"recipient":"bob@example.com","body":"hello & é",` + texts,
		"application/json;charset":        `{"recipient":"bob@example.com","body":"hello & é",` + texts,
		typeForm: "recipient=bob%40example.com&body=hello+%26+%C3%A9&ttl=-1&dor=1&members=a,b&data=" +
			url.QueryEscape(`[{"payload":"p"}]`),
		w.FormDataContentType(): parts.String(),
	} {
		got := h.wantReply(h.post(contentType, strings.NewReader(body)))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", contentType, got, want)
		}
	}
}
