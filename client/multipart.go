package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strings"
)

// encodeParts writes all but the file's content, so that the length of the
// whole is known before the first byte goes out.
func (r *request) encodeParts() (*payload, error) {
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	if err := writeFields(w, r.body); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArgument, err)
	}
	name := r.file.Name
	if name == "" {
		name = r.fileField
	}
	_, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition(r.fileField, name)},
		"Content-Type":        {r.file.contentType()},
	})
	if err != nil {
		return nil, err
	}
	head := bytes.Clone(buf.Bytes())
	if err := w.Close(); err != nil {
		return nil, err
	}
	return &payload{contentType: w.FormDataContentType(), head: head, tail: buf.Bytes()[len(head):], file: r.file.Content},
		nil
}

// marshal encodes without the escapes that only HTML needs.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// writeFields writes the members of a JSON object as parts: a string as its
// text, a list of strings with commas between them, what is nested as JSON.
func writeFields(w *multipart.Writer, body any) error {
	text, err := marshal(body)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if _, err := dec.Token(); err != nil { // the opening brace
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if err := writeField(w, name.(string), value); err != nil {
			return err
		}
	}
	return nil
}

func writeField(w *multipart.Writer, name string, value json.RawMessage) error {
	switch value[0] {
	case '"':
		var s string
		if err := json.Unmarshal(value, &s); err != nil {
			return err
		}
		return w.WriteField(name, s)
	case '[', '{':
		if texts, ok := commaList(value); ok {
			return w.WriteField(name, texts)
		}
		part, err := w.CreatePart(textproto.MIMEHeader{
			"Content-Disposition": {`form-data; name="` + name + `"`}, // the names are this package's own
			"Content-Type":        {"application/json"},
		})
		if err != nil {
			return err
		}
		_, err = part.Write(value)
		return err
	default: // a number or a boolean
		return w.WriteField(name, string(value))
	}
}

// commaList joins a list of strings, of which none may hold a comma. The server
// also takes a part for each, but not as many parts as a group can have members.
func commaList(value json.RawMessage) (string, bool) {
	var texts []string
	if json.Unmarshal(value, &texts) != nil ||
		slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, ",") }) {
		return "", false
	}
	return strings.Join(texts, ","), true
}
