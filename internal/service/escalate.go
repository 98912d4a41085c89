package service

import (
	"hash"
	"slices"
	"strconv"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/escalation"
)

// EscalateCommand is how a message is to be sent on while nobody has heard it, as its sender asks for it: by
// steps, or as a policy of the organization says.
type EscalateCommand struct {
	Policy string // a policy's name; empty: Steps
	Steps  []model.AskedStep
	Until  string // `read` or `confirmed`; empty: as the policy says, else `read`
}

const (
	fieldEscalate = "escalate"
	fieldUntil    = "escalate_until"
)

// validate refuses what is wrong whoever is meant.
func (c *EscalateCommand) validate() error {
	if _, ok := model.ParseUntil(c.Until); !ok {
		return untilInvalid(fieldUntil)
	}
	if c.Policy == "" {
		if len(c.Steps) == 0 && c.Until != "" {
			return model.Invalidf("escalation_invalid", fieldEscalate, "%s takes %s.", fieldUntil, fieldEscalate)
		}
		return model.ValidSteps(fieldEscalate, c.Steps)
	}
	if !model.ValidPolicyName(c.Policy) {
		return policyUnknown()
	}
	return nil
}

func untilInvalid(field string) error {
	return model.Invalidf("escalate_until_invalid", field, "An escalation lasts until `read` or `confirmed`.")
}

func policyUnknown() error {
	return model.Invalidf("escalation_policy_unknown", fieldEscalate,
		"The organization has no escalation policy of this name.")
}

// write feeds what is asked for to a hash, which tells repeated requests from others.
func (c *EscalateCommand) write(h hash.Hash) {
	writeParts(h, "escalate", c.Policy, c.Until)
	for _, step := range c.Steps {
		writeParts(h, strconv.Itoa(step.After))
		writeParts(h, step.To...)
	}
}

// findEscalation finds whom the steps of a message ask. All of them are people and groups to whom its sender
// may write in the organization of the message, or it is refused.
func (s *Service) findEscalation(tx *store.Tx, actor *model.Actor, d *draft, to *destination) (
	*model.Escalation, error) {
	settings := &to.organization.Settings
	switch {
	case !model.Allows(settings.Forward):
		return nil, forwardOff()
	case !model.Allows(settings.PriorityMessaging):
		return nil, model.Invalidf("priority_messaging_off", fieldEscalate,
			"The organization has priority messaging turned off, and an escalation sends with priority.")
	}
	organization := to.organization.ID
	e := &model.Escalation{Organization: organization, Sender: actor.Account}
	e.Until, _ = model.ParseUntil(d.escalate.Until)
	if d.escalate.Policy == "" {
		var err error
		e.Steps, err = s.findTargets(tx, actor, organization, fieldEscalate, d.escalate.Steps, writable)
		return e, err
	}
	p, found, err := escalation.PolicyOf(tx, organization, d.escalate.Policy)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, policyUnknown()
	}
	if d.escalate.Until == "" {
		e.Until = p.Until
	}
	asked := make([]model.AskedStep, len(p.Steps))
	for i, step := range p.Steps {
		asked[i].After = step.After
		for _, target := range step.To {
			asked[i].To = append(asked[i].To, target.Entity.String())
		}
	}
	e.Steps, err = s.findTargets(tx, actor, organization, fieldEscalate, asked, writable)
	return e, err
}

// findTargets finds the entities that steps name by addresses. may says of a group whether it may be named.
func (s *Service) findTargets(tx *store.Tx, actor *model.Actor, organization model.OrganizationID, field string,
	asked []model.AskedStep, may func(*store.Tx, *model.Actor, *model.Group) (bool, error)) (
	[]model.EscalationStep, error) {
	steps := make([]model.EscalationStep, len(asked))
	for i, step := range asked {
		steps[i] = model.EscalationStep{Number: i + 1, After: step.After}
		seen := map[model.EntityID]bool{}
		for _, address := range step.To {
			target, found, err := s.findTarget(tx, actor, organization, address, may)
			if err != nil {
				return nil, err
			}
			if !found {
				return nil, model.Invalidf("escalation_to_unknown", field,
					"Step %d asks %q, to whom nothing can be sent in this organization.", i+1, address)
			}
			if !seen[target.Entity] {
				seen[target.Entity] = true
				steps[i].To = append(steps[i].To, target)
			}
		}
	}
	return steps, nil
}

// findTarget finds an entity of an organization. What the actor may not write to is not found, as what does not
// exist.
func (s *Service) findTarget(tx *store.Tx, actor *model.Actor, organization model.OrganizationID, address string,
	may func(*store.Tx, *model.Actor, *model.Group) (bool, error)) (t model.EscalationTarget, found bool, err error) {
	var theirs []model.OrganizationID
	t.Entity, t.Group, found, theirs, err = s.access.ResolvePlaced(tx, actor, address)
	if err != nil || !found {
		return t, false, err
	}
	if !t.Group {
		return t, slices.Contains(theirs, organization), nil
	}
	g, found, err := tx.Group(model.GroupID(t.Entity))
	if err != nil || !found || g.Deleted || g.Organization != organization {
		return t, false, err
	}
	found, err = may(tx, actor, &g)
	return t, found, err
}

// writable reports whether an actor may write to a group.
func writable(tx *store.Tx, actor *model.Actor, g *model.Group) (bool, error) {
	rights, err := rightsInGroup(tx, actor, g)
	return rights.member && (!g.Everyone || writesToEveryone(actor, g.Organization)), err
}

// begin adds the escalation of a message that a transaction wrote.
func (d *delivery) begin(tx *store.Tx, e *model.Escalation) error {
	if e == nil {
		return nil
	}
	own := *e
	own.Message, own.Sent = d.row.ID, d.row.Created
	return escalation.Insert(tx, &own)
}

func forwardOff() error {
	return model.Forbiddenf("forward_off", "The organization has forwarding turned off.")
}
