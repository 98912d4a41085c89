package scim

import "signet/internal/model"

// The codes of what is wrong with a request. Type has what SCIM calls them.
const (
	CodeFilter     = "scim_filter_invalid"
	CodePath       = "scim_path_invalid"
	CodeTarget     = "scim_target_missing"
	CodeValue      = "scim_value_invalid"
	CodeSyntax     = "scim_syntax_invalid"
	CodeUniqueness = "scim_name_taken"
)

// types are what RFC 7644 (section 3.12) calls what is wrong, by our codes.
var types = map[string]string{
	CodeFilter:      "invalidFilter",
	CodePath:        "invalidPath",
	CodeTarget:      "noTarget",
	CodeValue:       "invalidValue",
	CodeSyntax:      "invalidSyntax",
	CodeUniqueness:  "uniqueness",
	"address_taken": "uniqueness",

	// What is no JSON object at all.
	"body_invalid":    "invalidSyntax",
	"body_too_deep":   "invalidSyntax",
	"body_incomplete": "invalidSyntax",
	"field_repeated":  "invalidSyntax",
	"text_invalid":    "invalidSyntax",
}

// Type returns the scimType of an error that is answered with 400 or 409; empty where there is none.
// What use cases refuse in a request is a value that does not fit.
func Type(shown *model.Error) string {
	if known, ok := types[shown.Code]; ok {
		return known
	}
	if shown.Kind == model.Invalid && shown.Field != "" {
		return types[CodeValue]
	}
	return ""
}

// Conflicts reports whether an error is that somebody else has what has to be unique: 409.
func Conflicts(shown *model.Error) bool { return Type(shown) == types[CodeUniqueness] }

// NameTaken is the answer to a resource whose name another one has. Another person of the organization,
// or an account somewhere else, or another group has it.
func NameTaken(attribute string) *model.Error {
	return model.Invalidf(CodeUniqueness, attribute, "Another resource has this %s.", attribute)
}

func wrongValue(attribute, want string) *model.Error {
	return model.Invalidf(CodeValue, attribute, "The value of %s has to be %s.", attribute, want)
}
