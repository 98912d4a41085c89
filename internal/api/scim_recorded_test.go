package api_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recordedCall is a request as a directory sends it, and what it waits for.
type recordedCall struct {
	What, Method, Path string
	Body               json.RawMessage
	Status             int
	Want               json.RawMessage // what the answer has to have; null: what it must not
	Keep               string          // the name by which what follows calls the id of the answer
}

// TestWhatDirectoriesSend plays what Entra ID and Okta document that they send (Microsoft Learn, "Develop and plan
// provisioning for a SCIM endpoint"; Okta developer documentation, "SCIM 2.0 protocol reference"), with other people
// and addresses, and what their older tenants and wizards send.
func TestWhatDirectoriesSend(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "scim", "*.json"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var calls []recordedCall
			if err := json.Unmarshal(text, &calls); err != nil {
				t.Fatal(err)
			}
			s := start(t)
			d := s.mustDirectory(s.mustCreateOrganization("Clinic"))
			var names []string
			for _, c := range calls {
				fill := strings.NewReplacer(names...).Replace
				got := d.scim(c.Method, fill(c.Path), fill(string(c.Body)))
				got.what = c.What
				got.want(c.Status)
				if len(c.Want) > 0 {
					got.wantJSON(fill(string(c.Want)))
				}
				if c.Keep != "" {
					names = append(names, "<"+c.Keep+">", got.id())
				}
			}
			s.mustVerify()
		})
	}
}
