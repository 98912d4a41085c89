package api_test

import (
	"strconv"
	"strings"
	"testing"

	"signet/internal/testenv"
)

// The authorization matrix once more with keys of one organization.

// firstAccount is the first column of somebody whom the server recognises.
const firstAccount = 3

// columnOf is the place of a caller in the matrix.
func columnOf(name string) int {
	for i, other := range callerNames {
		if other == name {
			return i
		}
	}
	panic("no caller is a " + name)
}

// scoped gives a caller a key of its kind for one organization.
func (m *matrix) scoped(p *person, organization string) *person {
	m.t.Helper()
	kind := "regular"
	if p == m.boss {
		kind = "administrative"
	}
	return p.withKey(m.operator.post(p.path("/key"), fields{"kind": kind, "organization": organization}).reply())
}

// wanted is the status of a column.
func (r rule) wanted(t *testing.T, column int) int {
	t.Helper()
	n, err := strconv.Atoi(strings.Fields(r.want)[column-firstAccount])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// With a key of the organization that a call is about, an account does there what it does
// with one that has no scope.
func TestAuthorizationMatrixWithKeysOfThisOrganization(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	m := startMatrix(t)
	for _, name := range []string{"member", "group member", "sender", "recipient", "organization administrator"} {
		i := columnOf(name)
		m.callers[i] = m.scoped(m.callers[i], m.org)
	}
	for _, r := range rules {
		if r.public {
			continue
		}
		for _, name := range []string{"member", "group member", "sender", "recipient", "organization administrator"} {
			want := r.wanted(t, columnOf(name))
			if name == "organization administrator" && (strings.HasSuffix(r.route, "/hold") ||
				r.route == "DELETE /v2/organization/:organization") {
				want = 404 // these are about an organization that was made for them
			}
			m.check(r, columnOf(name), want)
		}
	}
}

// With a key of another organization, an account acts as a member of the other organization.
func TestAuthorizationMatrixWithKeysOfAnotherOrganization(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	m := startMatrix(t)
	other := m.mustCreateOrganization("Other")
	as := map[string]string{"member": "stranger of another organization",
		"group member": "stranger of another organization", "sender": "stranger of another organization",
		"organization administrator": "administrator of another organization"}
	for name := range as {
		i := columnOf(name)
		m.operator.mustJoin(other, m.callers[i])
		if m.callers[i] == m.boss {
			m.operator.post(m.boss.path("/organization/"+other+"/roles/admin"), nil).want(204)
		}
		m.callers[i] = m.scoped(m.callers[i], other)
	}
	for _, r := range rules {
		if r.public {
			continue
		}
		for name, like := range as {
			m.check(r, columnOf(name), r.wanted(t, columnOf(like)))
		}
	}
}
