package input

import "testing"

func TestAnObjectIsReadAsFieldsOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		body  string
		text  string // of the field a; where there is none, `none`
		fault string // the field at fault
	}{
		{`{"object":{"a":"x"}}`, "x", ""}, {`{"object":{}}`, "", ""}, {`{"object":null}`, "none", ""}, {`{}`, "none", ""},
		{`{"object":"{}"}`, "none", "object"}, {`{"object":[]}`, "none", "object"}, {`{"object":5}`, "none", "object"},
		{`{"object":{"a":[]}}`, "", "a"}, {`{"object":{"a":"1","b":"2","c":"3"}}`, "1", ""},
	} {
		var body Fields
		if fault := parseJSON([]byte(c.body), &body); fault != nil {
			t.Fatalf("%s: %v", c.body, fault)
		}
		text := "none"
		if object := body.Object("object", 3); object != nil {
			text = object.Text("a")
			body.RefuseFor(object)
		}
		fault := ""
		if body.fault != nil {
			fault = body.fault.Field
		}
		if text != c.text || fault != c.fault {
			t.Errorf("%s: %q, fault in %q; want %q, %q", c.body, text, fault, c.text, c.fault)
		}
	}
	var body Fields
	if fault := parseJSON([]byte(`{"object":{"a":1,"b":2,"c":3}}`), &body); fault != nil {
		t.Fatal(fault)
	}
	body.RefuseFor(body.Object("object", 2))
	if body.Err() == nil {
		t.Error("an object of too many names is taken")
	}
}
