package openapi

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentIsInTheTypeScriptClient: a call without a method there does not compile;
// this says so before anything is compiled, and without Node.js.
func TestDocumentIsInTheTypeScriptClient(t *testing.T) {
	files, err := filepath.Glob("../web/src/client/*.ts")
	if err != nil {
		t.Fatal(err)
	}
	var client strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		client.Write(text)
	}
	operations := regexp.MustCompile(`"operationId":"(\w+)"`).FindAllStringSubmatch(string(mustJSON(t, "", "")), -1)
	if len(operations) < 90 {
		t.Fatalf("the document has only %d operations", len(operations))
	}
	for _, m := range operations {
		if !regexp.MustCompile(`(?m)^  (async )?` + m[1] + `\(`).MatchString(client.String()) {
			t.Errorf("web/src/client has no method %s", m[1])
		}
	}
}
