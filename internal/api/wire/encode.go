package wire

import (
	"bytes"
	"encoding/json"
)

// Encode appends v as JSON, without a final line end and with HTML left alone.
func Encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1)
	return nil
}

// Marshal returns v as JSON in the same form.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	err := Encode(&b, v)
	return b.Bytes(), err
}
