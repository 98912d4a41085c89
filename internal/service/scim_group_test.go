package service_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"signet/internal/model"
	"signet/internal/scim"
	"signet/internal/service"
)

// TestAGroupOfADirectoryCostsTheSameBesideAnyNumber: a first synchronization makes thousands, and looks for each first.
func TestAGroupOfADirectoryCostsTheSameBesideAnyNumber(t *testing.T) {
	h := newHouse(t, 0)
	boss := actor(t, h.access, "operator", "secret")
	made := 0
	create := func() (id model.GroupID) {
		t.Helper()
		made++
		g, err := h.service.ScimCreateGroup(t.Context(), boss, h.organization,
			scim.Group{Name: fmt.Sprint("Ward ", made), ExternalID: fmt.Sprint("G-", made)})
		must(t, err)
		id, _ = model.ParseGroupID(g.ID)
		return id
	}
	first := create()
	name := ""
	find := func(filter string) func() {
		return func() {
			t.Helper()
			f, err := scim.Groups.ParseFilter(filter)
			must(t, err)
			page, err := h.service.ScimGroups(t.Context(), boss, h.organization,
				service.ScimGroupQuery{Filter: f, Limit: 10})
			must(t, err)
			if len(page.Groups) != 1 || page.Total != 1 || page.Looked != 1 || page.Groups[0].ID != first.String() {
				t.Errorf("%s: got %+v, want the first group, and no other one read", filter, page)
			}
		}
	}
	calls := []func(){
		func() { create() },
		func() {
			made++
			name = fmt.Sprint("Station ", made)
			_, err := h.service.ScimChangeGroup(t.Context(), boss, h.organization, first, "",
				func(g scim.Group) (scim.Group, error) {
					g.Name = name
					return g, nil
				})
			must(t, err)
		},
		func() { find(`displayName eq "` + strings.ToUpper(name) + `"`)() },
		find(`externalId eq "G-1"`),
		find(`id eq "` + first.String() + `" and displayName co "ATION"`),
	}
	measure := func() (costs []string) {
		for _, call := range calls {
			before := h.statements.Load()
			h.mostRead.Store(0)
			call()
			costs = append(costs, fmt.Sprint(h.statements.Load()-before, " statements, ", h.mostRead.Load(), " rows"))
		}
		return costs
	}
	measure() // what is remembered from call to call is there
	few := measure()
	for range 60 {
		create()
	}
	if many := measure(); !slices.Equal(many, few) {
		t.Errorf("with 60 groups more the calls take %q, before %q", many, few)
	}
}
