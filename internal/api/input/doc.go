// Package input reads requests: from the bytes of a query, a JSON object, a form or
// a multipart body to one set of named fields, and from file parts to where files
// are kept (contract, section 1).
//
// It owns the rules of what is malformed, repeated, too large, too deep or too
// many, and their codes. It must not know which endpoint asks, what a field means,
// or where a file goes: it returns a *model.Error, or the error of the sink.
package input

// The codes of refusals. They are stable. Besides there is `<field>_required`.
const (
	CodeBodyTooLarge    = "body_too_large"           // 413
	CodeFileTooLarge    = "file_too_large"           // 413
	CodeTypeUnsupported = "content_type_unsupported" // 415
	CodeBodyIncomplete  = "body_incomplete"          // 400: ended early
	CodeBodyInvalid     = "body_invalid"             // 400: malformed
	CodeBodyTooDeep     = "body_too_deep"            // 400: nested past 32
	CodeTooManyFields   = "too_many_fields"          // 400
	CodeFieldRepeated   = "field_repeated"           // 400
	CodeFieldInvalid    = "field_invalid"            // 400: of the wrong type
	CodeTextInvalid     = "text_invalid"             // 400: not UTF-8, or U+0000
)
