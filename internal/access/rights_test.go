package access

import (
	"slices"
	"testing"

	"signet/internal/model"
)

// FuzzScope asks for keys that act in some organization: whatever is named, an actor
// gives scopes that it may give, and the one that it asked for or none.
func FuzzScope(f *testing.F) {
	for _, seed := range [][2]string{{"", ""}, {"", "clinic"}, {"clinic", ""}, {"practice", "clinic"},
		{"elsewhere", "practice"}, {"Clinic", " clinic"}, {"clinic\x00", "\xff"}} {
		f.Add(seed[0], seed[1])
	}
	memberships := []model.Membership{{Organization: "clinic"}, {Organization: "practice"}}
	f.Fuzz(func(t *testing.T, asked, call string) {
		for _, r := range []*reach{{all: true, self: true}, {all: true},
			{scopes: []model.OrganizationID{"clinic"}, self: true}, {scopes: []model.OrganizationID{"practice", "clinic"}}} {
			got, err := r.scope(model.OrganizationID(asked), model.OrganizationID(call), memberships)
			known := slices.ContainsFunc(memberships, func(m model.Membership) bool { return m.Organization == got })
			switch {
			case err != nil:
				if got != "" {
					t.Errorf("%+v refuses %q and gives %q", r, asked, got)
				}
			case asked != "" && string(got) != asked, got != "" && !known, !r.all && !slices.Contains(r.scopes, got):
				t.Errorf("%+v, asked for %q in a call for %q, gives %q", r, asked, call, got)
			}
		}
	})
}
