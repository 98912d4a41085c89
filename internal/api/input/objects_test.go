package input

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzObjects: a list of objects is taken apart as encoding/json does it, up to one past the
// most, and nothing else is one.
func FuzzObjects(f *testing.F) {
	for _, seed := range []string{
		`[{"username":"ann","emails":["a@b.c"]},{"username":"bob"}]`, `[]`, `{}`, `null`, `"[{}]"`, `5`, `[{}]`, `[null]`,
		`[{},[]]`, `[[{}]]`, `[{"a":{"b":[1,{}]}} , {"a":null}]`, `[{},{},{},{},{}]`, `[{},{},{},{},5]`,
		`[{"a":1,"b":2,"c":3,"d":4,"e":5}]`, ` [ { "a" : "\u00e9" } ] `,
	} {
		f.Add(seed)
	}
	const most, fields = 3, 4
	f.Fuzz(func(t *testing.T, users string) {
		var body Fields
		if parseJSON([]byte(`{"users":`+users+`}`), &body) != nil || len(body.list) != 1 {
			return
		}
		got := body.Objects("users", most, fields)
		var want []json.RawMessage
		isList := json.Unmarshal([]byte(users), &want) == nil
		want = want[:min(len(want), most+1)]
		for _, element := range want {
			isList = isList && strings.HasPrefix(strings.TrimLeft(string(element), " \t\r\n"), "{")
		}
		if absent := strings.TrimSpace(users) == "null"; !isList || absent {
			if got != nil || (body.Err() == nil) != absent {
				t.Fatalf("%q is a list of %d, %v", users, len(got), body.Err())
			}
			return
		}
		if body.Err() != nil || len(got) != len(want) {
			t.Fatalf("%q: got %d, want %d: %v", users, len(got), len(want), body.Err())
		}
		for i := range got {
			var object map[string]json.RawMessage
			if err := json.Unmarshal(want[i], &object); err != nil {
				t.Fatal(err)
			}
			if (got[i].Err() == nil) != (len(object) <= fields) {
				t.Fatalf("%q: object %d has %d names: %v", users, i, len(object), got[i].Err())
			}
			for _, name := range got[i].Names() {
				if _, there := object[name]; !there {
					t.Fatalf("%q: object %d has %q", users, i, name)
				}
			}
			if got[i].Err() == nil && len(got[i].list) != len(object) {
				t.Fatalf("%q: object %d has %d names, want %d", users, i, len(got[i].list), len(object))
			}
		}
	})
}
