package api_test

import (
	"strings"
	"testing"
	"time"

	"signet/internal/store"
)

func TestLimitOfGroupsADay(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.service.GroupsPerDay = 5 })
	mustMake := func(p *person, want int) *answer {
		t.Helper()
		return p.post("/v2/group", fields{"name": "N"}, in(c.org)).want(want)
	}
	issued := c.alice.withKey(c.alice.post("/v2/user/me/key", nil).reply())
	for range 2 {
		mustMake(c.alice, 204)
		mustMake(issued, 204) // which counts with the key that issued it
	}
	c.alice.post("/v2/group", fields{"name": "N", "members": "nobody"}, in(c.org)).want(400) // not counted
	c.alice.post("/v2/role_group", fields{"name": "N"}, in(c.org)).want(200)
	for _, p := range []*person{c.alice, issued} {
		mustMake(p, 429).wantError(429, "growth_limit").wantHeader("Retry-After", "56670")
	}
	mustMake(c.bob, 204)
	for range 10 {
		mustMake(c.operator, 204) // with an administrative key
	}
	c.clock.Advance(24 * time.Hour)
	mustMake(c.alice, 204)
}

func TestLimitOfMetadataOfAnOrganization(t *testing.T) {
	t.Parallel()
	const limit = 20_000
	c := startClinic(t, func(f *figures) { f.service.MetadataBytes = limit })
	large := fields{"a": strings.Repeat("x", 4000)}
	group := func(p *person) *answer {
		return p.post("/v2/group", fields{"name": "N", "metadata": large}, in(c.org))
	}
	var groups []string
	for range 4 {
		groups = append(groups, group(c.alice).want(204).Header.Get("TT-X-Group-Token"))
	}
	group(c.alice).wantError(400, "metadata_full")
	c.alice.post("/v2/metadata/"+c.alice.token, large, in(c.org)).wantError(400, "metadata_full")
	c.operator.post("/v2/metadata/"+c.bob.token, large, in(c.org)).wantError(400, "metadata_full")
	c.wantMetadataSummedUp()

	// What does not grow, and what goes, is always fine, and makes room.
	c.alice.post("/v2/metadata/"+groups[0], large, in(c.org)).want(204)
	c.alice.post("/v2/metadata/"+groups[0], fields{"a": "b"}, in(c.org)).want(204)
	c.alice.post("/v2/metadata/"+c.alice.token, large, in(c.org)).want(204)
	group(c.alice).wantError(400, "metadata_full")
	c.alice.delete("/v2/group/" + groups[1]).want(204)
	c.wantMetadataSummedUp()
	group(c.alice).want(204)
	c.alice.delete("/v2/metadata/"+c.alice.token, in(c.org)).want(204)
	group(c.alice).want(204)
	c.wantMetadataSummedUp()

	other := c.mustCreateOrganization("Other")
	c.mustCreate(other, "zoe").post("/v2/metadata/me", large, in(other)).want(204)
	c.wantMetadataSummedUp()
}

// wantMetadataSummedUp compares the sums with what is there.
func (c *clinic) wantMetadataSummedUp() {
	c.t.Helper()
	sums := func(query string) (out []any) {
		err := c.engine.View(c.t.Context(), func(session store.Session) error {
			out = nil
			return session.Query(query, nil, func(row store.Row) error {
				var organization string
				var bytes int64
				err := row.Scan(&organization, &bytes)
				out = append(out, organization, bytes)
				return err
			})
		})
		if err != nil {
			c.t.Fatal(err)
		}
		return out
	}
	want := sums(`SELECT organization, SUM(LENGTH(content)) FROM metadata GROUP BY organization ORDER BY organization`)
	got := sums(`SELECT organization, bytes FROM metadata_sizes WHERE bytes <> 0 ORDER BY organization`)
	if len(got) == 0 || len(got) != len(want) {
		c.t.Fatalf("the sums are %v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			c.t.Errorf("the sums are %v, want %v", got, want)
		}
	}
}
