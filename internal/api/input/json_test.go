package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseJSON(t *testing.T) {
	deep := func(n int) string { return `{"a":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}` }
	many := func(last string) string {
		var b strings.Builder
		for i := range 40 {
			b.WriteString(`"` + strings.Repeat("n", i+1) + `":1,`)
		}
		return b.String() + last
	}
	for _, c := range []struct{ body, code, field string }{
		{"", "", ""},
		{" \r\n\t", "", ""},
		{"{}", "", ""},
		{` { "a" : 1 , "b":[ ] } `, "", ""},
		{deep(32), "", ""},
		{deep(33), CodeBodyTooDeep, "a"},
		{`{"a":` + strings.Repeat(`{"b":`, 31) + `1` + strings.Repeat(`}`, 31) + `}`, "", ""},
		{`{"a":` + strings.Repeat(`{"b":`, 32) + `1` + strings.Repeat(`}`, 32) + `}`, CodeBodyTooDeep, "a"},
		{`{"a":` + strings.Repeat(`[`, 100000), CodeBodyTooDeep, "a"},
		{`{"a":1}{}`, CodeBodyInvalid, ""},
		{`{"a":1} x`, CodeBodyInvalid, ""},
		{`[]`, CodeBodyInvalid, ""},
		{`null`, CodeBodyInvalid, ""},
		{`"a"`, CodeBodyInvalid, ""},
		{"\ufeff{}", CodeBodyInvalid, ""},
		{`{`, CodeBodyInvalid, ""},
		{`{"a"`, CodeBodyInvalid, "a"},
		{`{"a":`, CodeBodyInvalid, "a"},
		{`{"a":1`, CodeBodyInvalid, "a"},
		{`{"a":1,}`, CodeBodyInvalid, "a"},
		{`{,}`, CodeBodyInvalid, ""},
		{`{a:1}`, CodeBodyInvalid, ""},
		{`{"a":[1,]}`, CodeBodyInvalid, "a"},
		{`{"a":[,]}`, CodeBodyInvalid, "a"},
		{`{"a":[1 2]}`, CodeBodyInvalid, "a"},
		{`{"a":01}`, CodeBodyInvalid, "a"},
		{`{"a":-}`, CodeBodyInvalid, "a"},
		{`{"a":1.}`, CodeBodyInvalid, "a"},
		{`{"a":.5}`, CodeBodyInvalid, "a"},
		{`{"a":1e}`, CodeBodyInvalid, "a"},
		{`{"a":+1}`, CodeBodyInvalid, "a"},
		{`{"a":NaN}`, CodeBodyInvalid, "a"},
		{`{"a":truex}`, CodeBodyInvalid, "a"},
		{`{"a":True}`, CodeBodyInvalid, "a"},
		{`{"a":'b'}`, CodeBodyInvalid, "a"},
		{"{\"a\":\"\n\"}", CodeBodyInvalid, "a"},
		{"{\"a\":\"\x00\"}", CodeBodyInvalid, "a"},
		{`{"a":"\x"}`, CodeBodyInvalid, "a"},
		{`{"a":"\u12g4"}`, CodeBodyInvalid, "a"},
		{`{"a":"\u12`, CodeBodyInvalid, "a"},
		{`{"a":"`, CodeBodyInvalid, "a"},
		{`{"a":"\`, CodeBodyInvalid, "a"},
		{`{"a":"\ud83d\ude00"}`, "", ""},
		{`{"a":"\ud83d"}`, CodeTextInvalid, "a"},
		{`{"a":"\ude00"}`, CodeTextInvalid, "a"},
		{`{"a":"\ude00\ud83d"}`, CodeTextInvalid, "a"},
		{`{"a":"\ud83dx"}`, CodeTextInvalid, "a"},
		{`{"a":"\ud83d\u0041"}`, CodeTextInvalid, "a"},
		{`{"a":{"b":["\ud83d"]}}`, CodeTextInvalid, "a"},
		{"{\"a\":\"\xff\"}", CodeTextInvalid, "a"},
		{"{\"a\":\"\xed\xa0\x80\"}", CodeTextInvalid, "a"},
		{"{\"a\":\"\xc0\x80\"}", CodeTextInvalid, "a"},
		{"{\"a\":[\"\xe2\x82\"]}", CodeTextInvalid, "a"},
		{"{\"\xff\":1}", CodeTextInvalid, ""},
		{"{\"a\":\"\ufffd\"}", "", ""},
		{`{"a":1,"a":2}`, CodeFieldRepeated, "a"},
		{`{"a":null,"a":2}`, CodeFieldRepeated, "a"},
		{`{"a":1,"\u0061":2}`, CodeFieldRepeated, "a"},
		{`{"a":1,"A":2}`, "", ""},
		{`{"x":{"a":1,"a":2}}`, CodeFieldRepeated, "x"},
		{`{"x":{"a":1,"\u0061":2}}`, CodeFieldRepeated, "x"},
		{`{"x":{"a":1,"b":{"a":1}},"y":[{"a":1},{"a":1}]}`, "", ""},
		{`{"x":{"a":{"b":1},"b":{"b":2},"b":1}}`, CodeFieldRepeated, "x"},
		{`{"x":[[{"":1,"":2}]]}`, CodeFieldRepeated, "x"},
		{`{` + many(`"z":1}`), "", ""},
		{`{` + many(`"nnnnn":1}`), CodeFieldRepeated, "nnnnn"},
		{`{"x":{` + many(`"z":1}}`), "", ""},
		{`{"x":{` + many(`"nnnnn":1}}`), CodeFieldRepeated, "x"},
		{`{"` + strings.Repeat("long", 100) + `":tru}`, CodeBodyInvalid, ""},
	} {
		var f Fields
		code, field := "", ""
		if fault := parseJSON([]byte(c.body), &f); fault != nil {
			code, field = fault.Code, fault.Field
		}
		if code != c.code || field != c.field {
			t.Errorf("%.80q: got %q of %q, want %q of %q", c.body, code, field, c.code, c.field)
		}
	}
}

func TestParseJSONDoesNotSlowDownWithManyNames(t *testing.T) {
	var body bytes.Buffer
	body.WriteString(`{"x":{`)
	for i := range 200_000 {
		body.WriteString(`"` + strconv.Itoa(i) + `":1,`)
	}
	body.WriteString(`"z":1}}`)
	var f Fields
	if fault := parseJSON(body.Bytes(), &f); fault != nil {
		t.Fatal(fault)
	}
}

// FuzzParseJSON compares with encoding/json: what is accepted reads the same
// there, and what is refused is either refused there or breaks one of the rules
// that only the contract has.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, ` {"recipient":"bob@example.com","body":"hello","priority":1,"ttl":30,"dor":true} `,
		`{"recipient":"<bob>","data":[{"mimetype":"application/json","namespace":"ns","payload":"{\"k\":1}"}],"ttl":-1}`,
		`{"events":["ev-7","ev-8"]}`, `{"a":null,"b":1.5e-7,"c":"\ud83d\ude00\u0000\/"}`,
		`{"a":{"b":[{}, [], "", 0]},"é":"ü"}`,
		`{"a":"\ud800"}`, "{\"a\":\"\xff\"}", `{"a":1,"a":2}`, `[1]`, `{"a":01}`, `{"a":-0.0e+1}`,
		`{"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}`,
	} {
		f.Add(seed)
	}
	halfPair := regexp.MustCompile(`\\u[dD][89a-fA-F]`)
	f.Fuzz(func(t *testing.T, body string) {
		var got Fields
		fault := parseJSON([]byte(body), &got)
		if strings.Trim(body, " \t\r\n") == "" {
			if fault != nil || len(got.list) != 0 {
				t.Fatalf("a blank body: %v", fault)
			}
			return
		}
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal([]byte(body), &want)
		if wantErr == nil && want == nil {
			wantErr = errors.New("null")
		}
		if fault != nil {
			if wantErr != nil || !utf8.ValidString(body) || halfPair.MatchString(body) && fault.Code == CodeTextInvalid {
				return
			}
			repeats, depth := inspect(t, body)
			if fault.Code == CodeFieldRepeated && repeats || fault.Code == CodeBodyTooDeep && depth > maxDepth {
				return
			}
			t.Fatalf("refused with %v, encoding/json reads %v", fault, want)
		}
		if wantErr != nil {
			t.Fatalf("accepted %v, encoding/json says %v", got.list, wantErr)
		}
		wantSameAsJSON(t, &got, want)
		wantSameAgain(t, body, &got, want)
		exercise(&got)
	})
}

// wantSameAsJSON compares what was read with what encoding/json reads.
func wantSameAsJSON(t *testing.T, got *Fields, want map[string]json.RawMessage) {
	t.Helper()
	names := make([]string, len(got.list))
	for i, given := range got.list {
		names[i] = given.name
		raw := given.text
		if given.kind == textKind {
			raw = given.raw
			var text string
			if err := json.Unmarshal([]byte(raw), &text); err != nil || text != given.text {
				t.Fatalf("%q reads as %q, encoding/json says %q (%v)", raw, given.text, text, err)
			}
		}
		if raw != string(want[given.name]) {
			t.Fatalf("%q holds %q, encoding/json says %q", given.name, raw, want[given.name])
		}
	}
	slices.Sort(names)
	if sorted := slices.Sorted(maps.Keys(want)); !slices.Equal(names, sorted) {
		t.Fatalf("names %q, encoding/json says %q", names, sorted)
	}
}

// wantSameAgain writes what was read and reads it again.
func wantSameAgain(t *testing.T, body string, got *Fields, want map[string]json.RawMessage) {
	t.Helper()
	again, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var second Fields
	if fault := parseJSON(again, &second); fault != nil || len(second.list) != len(got.list) {
		t.Fatalf("%s: written again as %s, refused with %v", body, again, fault)
	}
	for _, given := range got.list {
		if repeated := second.get(given.name); repeated == nil || repeated.kind != given.kind || given.kind == textKind &&
			repeated.text != given.text {
			t.Fatalf("%q: got %+v the second time, %+v the first", given.name, repeated, given)
		}
	}
}

// inspect finds in JSON what encoding/json lets through.
func inspect(t *testing.T, body string) (repeats bool, deepest int) {
	decoder := json.NewDecoder(strings.NewReader(body))
	type container struct {
		names map[string]bool // nil for a list
		name  bool            // a name comes next
	}
	var open []container
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return repeats, deepest
		}
		if err != nil {
			t.Fatal(err)
		}
		last := len(open) - 1
		if text, ok := token.(string); ok && last >= 0 && open[last].name {
			repeats = repeats || open[last].names[text]
			open[last].names[text] = true
			open[last].name = false
			continue
		}
		switch token {
		case json.Delim('{'):
			open = append(open, container{map[string]bool{}, true})
			deepest = max(deepest, len(open))
			continue
		case json.Delim('['):
			open = append(open, container{})
			deepest = max(deepest, len(open))
			continue
		case json.Delim('}'), json.Delim(']'):
			open = open[:last]
			last--
		}
		if last >= 0 && open[last].names != nil {
			open[last].name = true
		}
	}
}

// exercise asks every getter for every field: none may panic, whatever is there.
func exercise(f *Fields) {
	for _, name := range append(f.Names(), "absent") {
		f.Text(name)
		f.OptionalText(name)
		f.RequiredText(name)
		f.Int(name)
		f.OptionalInt(name)
		f.IntBetween(name, 1, 100, 50)
		f.Bool(name)
		f.OptionalBool(name)
		f.Scalar(name)
		f.List(name)
		f.Raw(name)
		f.Has(name)
		var into any
		f.Decode(name, &into, "anything")
	}
}

func TestAppendTextsReadsACheckedArray(t *testing.T) {
	for array, want := range map[string][]string{
		`[]`: nil, `[ ]`: nil, `["a"]`: {"a"}, `[ "a" , "b\n\u00e9" ]`: {"a", "b\né"}, `["a,b",""]`: {"a,b", ""},
	} {
		if got, ok := appendTexts(nil, array); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q %v, want %q", array, got, ok, want)
		}
	}
	for _, array := range []string{`[1]`, `["a",null]`, `[["a"]]`, `[{"a":1}]`, `[true]`} {
		if _, ok := appendTexts(nil, array); ok {
			t.Errorf("%s passed for a list of texts", array)
		}
	}
}
