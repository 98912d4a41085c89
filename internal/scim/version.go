package scim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"signet/internal/model"
)

// CodePrecondition is the code of a refusal because a resource is another one by now: 412.
const CodePrecondition = "precondition_failed"

// Version is the entity tag of a resource: a hash of what it says. It needs no store, and changes with
// whatever changes the resource, be it a directory or somebody in the console.
func Version(o Object) string {
	text, err := json.Marshal(o) // with its names in order
	if err != nil {
		panic(fmt.Sprintf("encode a resource: %v", err)) // it holds texts, yes or no, and lists of these
	}
	hash := sha256.Sum256(text)
	return `W/"` + hex.EncodeToString(hash[:12]) + `"`
}

// Names reports whether a header If-Match or If-None-Match names a version.
func Names(header, version string) bool {
	for one := range strings.SplitSeq(header, ",") {
		one = strings.TrimSpace(one)
		if one == "*" || strings.TrimPrefix(one, "W/") == strings.TrimPrefix(version, "W/") {
			return true
		}
	}
	return false
}

// WantVersion refuses to change a resource that is another one than an If-Match names. An empty header names all.
func WantVersion(header, version string) error {
	if header == "" || Names(header, version) {
		return nil
	}
	return model.Invalidf(CodePrecondition, "If-Match", "The resource was changed meanwhile.")
}
