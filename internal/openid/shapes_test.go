package openid

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
)

// TestWhatKnownIssuersSay reads tokens in the shapes that providers document, which testdata has: the values are the
// ones of their documentation, or made up in its form.
func TestWhatKnownIssuersSay(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 6 {
		t.Fatalf("found %q, %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var shape struct {
				Names           model.ClaimNames
				Token, UserInfo map[string]any
				Want            Person
			}
			if err := json.Unmarshal(text, &shape); err != nil {
				t.Fatal(err)
			}
			v := newVisit(t)
			v.answer.Names = shape.Names
			v.forger.Says(shape.Token)
			v.forger.Tells(shape.UserInfo)
			v.mustBegin()
			got, err := v.finish()
			if err != nil {
				t.Fatal(err)
			}
			if got.At = (time.Time{}); !reflect.DeepEqual(got, shape.Want) {
				t.Errorf("got  %+v\nwant %+v", got, shape.Want)
			}
		})
	}
}
