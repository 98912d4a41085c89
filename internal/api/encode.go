package api

import (
	"bytes"
	"encoding/json"
)

// encode appends v as JSON, without a final line end and with HTML left alone.
func encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1)
	return nil
}

// marshal returns v as JSON in the same form.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	err := encode(&b, v)
	return b.Bytes(), err
}
