package escalation

import (
	"encoding/json"
	"fmt"
	"slices"

	"signet/internal/model"
	"signet/internal/store"
)

// storedStep is a step of a policy as it is stored.
type storedStep struct {
	After int            `json:"after"`
	To    []storedTarget `json:"to"`
}

type storedTarget struct {
	Entity model.EntityID `json:"entity"`
	Group  bool           `json:"group,omitempty"`
}

func encode(steps []model.EscalationStep) (string, error) {
	stored := make([]storedStep, len(steps))
	for i, step := range steps {
		stored[i].After = step.After
		for _, to := range step.To {
			stored[i].To = append(stored[i].To, storedTarget{to.Entity, to.Group})
		}
	}
	text, err := json.Marshal(stored)
	return string(text), err
}

func decode(text string) ([]model.EscalationStep, error) {
	var stored []storedStep
	if err := json.Unmarshal([]byte(text), &stored); err != nil {
		return nil, fmt.Errorf("read an escalation policy: %w", err)
	}
	steps := make([]model.EscalationStep, len(stored))
	for i, step := range stored {
		steps[i] = model.EscalationStep{Number: i + 1, After: step.After}
		for _, to := range step.To {
			steps[i].To = append(steps[i].To, model.EscalationTarget{Entity: to.Entity, Group: to.Group})
		}
	}
	return steps, nil
}

// PutPolicy adds a policy, or replaces the one of its name.
func PutPolicy(tx *store.Tx, p *model.Policy) error {
	steps, err := encode(p.Steps)
	if err != nil {
		return err
	}
	return tx.Post(`INSERT INTO escalation_policies (organization, name, until, steps) VALUES (?, ?, ?, ?)
		ON CONFLICT (organization, name) DO UPDATE SET until = excluded.until, steps = excluded.steps`, p.Organization,
		p.Name, int(p.Until), steps)
}

// PolicyOf returns the policy of a name.
func PolicyOf(tx *store.Tx, organization model.OrganizationID, name string) (model.Policy, bool, error) {
	return store.First(tx, policies+`WHERE organization = ? AND name = ?`, []any{organization, name}, scanPolicy)
}

// PoliciesOf lists the policies of an organization by their names.
func PoliciesOf(tx *store.Tx, organization model.OrganizationID) ([]model.Policy, error) {
	return store.List(tx, policies+`WHERE organization = ? ORDER BY name`, []any{organization}, scanPolicy)
}

const policies = `SELECT organization, name, until, steps FROM escalation_policies `

func scanPolicy(p *model.Policy, row store.Row) error {
	var until int
	var steps string
	err := row.Scan(&p.Organization, &p.Name, &until, &steps)
	if err != nil {
		return err
	}
	p.Until = model.Status(until)
	p.Steps, err = decode(steps)
	return err
}

// CountPolicies counts the policies of an organization.
func CountPolicies(tx *store.Tx, organization model.OrganizationID) (n int, err error) {
	_, err = tx.One(`SELECT COUNT(*) FROM escalation_policies WHERE organization = ?`, []any{organization}, &n)
	return n, err
}

// DeletePolicy removes a policy, and reports whether it was there.
func DeletePolicy(tx *store.Tx, organization model.OrganizationID, name string) (bool, error) {
	n, err := tx.Exec(`DELETE FROM escalation_policies WHERE organization = ? AND name = ?`, organization, name)
	return n > 0, err
}

// PoliciesNaming returns up to limit policies, of whichever organization, that name an account. They are few:
// no index tells.
func PoliciesNaming(tx *store.Tx, account model.AccountID, limit int) ([]model.Policy, error) {
	return store.List(tx, policies+`WHERE steps LIKE ? LIMIT ? + 0`, []any{"%" + account.String() + "%", limit},
		scanPolicy)
}

// ForgetInPolicies takes an account out of policies. A step that asks nobody goes, and so does a policy without
// steps. Each is read again: it may have been changed since it was found.
func ForgetInPolicies(tx *store.Tx, account model.AccountID, found []model.Policy) error {
	for i := range found {
		if err := tx.LockOrganization(found[i].Organization); err != nil {
			return err
		}
		p, there, err := PolicyOf(tx, found[i].Organization, found[i].Name)
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		for n := range p.Steps {
			p.Steps[n].To = slices.DeleteFunc(p.Steps[n].To, func(to model.EscalationTarget) bool {
				return to.Entity == model.EntityID(account)
			})
		}
		p.Steps = slices.DeleteFunc(p.Steps, func(step model.EscalationStep) bool { return len(step.To) == 0 })
		if len(p.Steps) > 0 {
			err = PutPolicy(tx, &p)
		} else {
			_, err = DeletePolicy(tx, p.Organization, p.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
