package service

import (
	"context"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/escalation"
)

// How a message is sent on while nobody has heard it (contract, section 8). What a sender asks for is read in
// escalate.go; a job does the steps (escalation_step.go). A status that ends an escalation ends it in its own
// transaction (status.go), so do a recall and the end of the message (recall.go, package sweep).

// Escalation returns the escalation of a message to its sender.
func (s *Service) Escalation(ctx context.Context, actor *model.Actor, id model.MessageID) (e model.Escalation,
	err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		row, err := s.escalated(tx, actor, id)
		if err != nil {
			return err
		}
		var found bool
		if e, found, err = escalation.Of(tx, row.Organization, row.ID); err == nil && !found {
			err = model.Missing()
		}
		e.Sender, e.Sent = row.Sender, row.Created
		return err
	})
	return e, err
}

// escalated finds a message with an escalation for its sender. As with a recall, recipients may not, and for
// others there is none.
func (s *Service) escalated(tx *store.Tx, actor *model.Actor, id model.MessageID) (store.MessageRow, error) {
	row, access, err := visible(tx, actor, id, s.now())
	switch {
	case err != nil:
		return row, err
	case !access.sender:
		return row, model.Forbiddenf("not_sender", "Only its sender sees and ends the escalation of a message.")
	case !row.Escalated():
		return row, model.Missing()
	}
	return row, nil
}

// CancelEscalation ends the escalation of a message, which its sender asks for. One that has ended stays as it
// ended.
func (s *Service) CancelEscalation(ctx context.Context, actor *model.Actor, id model.MessageID) error {
	return s.spare(ctx, s.access.Acting(actor, func(tx *store.Tx) error {
		if err := tx.LockMessages(actor.Organizations(), id); err != nil {
			return err
		}
		row, err := s.escalated(tx, actor, id)
		if err != nil {
			return err
		}
		return escalation.End(tx, row.Organization, row.ID, model.EscalationCancelled, s.now())
	}))
}

// PolicyCommand is a policy as an administrator asks for it.
type PolicyCommand struct {
	Organization model.OrganizationID
	Name         string
	Until        string // `read` or `confirmed`; empty: read
	Steps        []model.AskedStep
}

// SetPolicy keeps a policy for the members of an organization, in place of one of the same name.
func (s *Service) SetPolicy(ctx context.Context, actor *model.Actor, c PolicyCommand) error {
	if !model.ValidPolicyName(c.Name) {
		return model.Invalidf("policy_name_invalid", "name", "The name of a policy is 1 to %d letters, digits, blanks, "+
			"dots, underscores and hyphens; a letter or a digit begins and ends it.", model.MaxPolicyName)
	}
	p := model.Policy{Organization: c.Organization, Name: c.Name}
	var ok bool
	if p.Until, ok = model.ParseUntil(c.Until); !ok {
		return untilInvalid("until")
	}
	if err := model.ValidSteps("steps", c.Steps); err != nil {
		return err
	}
	return s.access.Administer(ctx, actor, model.ActionEscalationSet, c.Organization,
		func(tx *store.Tx, line *model.AuditEntry) (err error) {
			line.Detail = "policy=" + c.Name
			if p.Steps, err = s.findTargets(tx, actor, c.Organization, "steps", c.Steps, nameable); err != nil {
				return err
			}
			_, there, err := escalation.PolicyOf(tx, c.Organization, c.Name)
			if err != nil {
				return err
			}
			if !there {
				n, err := escalation.CountPolicies(tx, c.Organization)
				if err != nil {
					return err
				}
				if n >= model.MaxPolicies {
					return model.Invalidf("too_many_policies", "name", "An organization has at most %d escalation policies.",
						model.MaxPolicies)
				}
			}
			return escalation.PutPolicy(tx, &p)
		})
}

// nameable reports whether a policy may name a group, which an administrator need not be in: any of the
// organization's.
func nameable(_ *store.Tx, actor *model.Actor, g *model.Group) (bool, error) {
	return actor.Administers(g.Organization), nil
}

// RemovePolicy removes a policy. Messages that were sent with it go on as they were asked for.
func (s *Service) RemovePolicy(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	name string) error {
	return s.access.Administer(ctx, actor, model.ActionEscalationRemove, organization,
		func(tx *store.Tx, line *model.AuditEntry) error {
			line.Detail = "policy=" + name
			if !model.ValidPolicyName(name) {
				return model.Missing()
			}
			found, err := escalation.DeletePolicy(tx, organization, name)
			if err == nil && !found {
				err = model.Missing()
			}
			return err
		})
}

// Policy returns a policy to a member of its organization, or to who administers it.
func (s *Service) Policy(ctx context.Context, actor *model.Actor, organization model.OrganizationID, name string) (
	p model.Policy, err error) {
	err = s.readPolicies(ctx, actor, organization, func(tx *store.Tx) error {
		var found bool
		if p, found, err = escalation.PolicyOf(tx, organization, name); err == nil && !found {
			err = model.Missing()
		}
		return err
	})
	return p, err
}

// Policies lists the policies of an organization by their names.
func (s *Service) Policies(ctx context.Context, actor *model.Actor, organization model.OrganizationID) (
	out []model.Policy, err error) {
	err = s.readPolicies(ctx, actor, organization, func(tx *store.Tx) error {
		out, err = escalation.PoliciesOf(tx, organization)
		return err
	})
	return out, err
}

// readPolicies reads what members of an organization, and who administers it, may see.
func (s *Service) readPolicies(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	read func(*store.Tx) error) error {
	if !actor.MemberOf(organization) && !actor.Administers(organization) {
		return model.Missing()
	}
	return s.store.View(ctx, func(tx *store.Tx) error {
		if _, found, err := tx.Organization(organization); err != nil || !found {
			if err == nil {
				err = model.Missing()
			}
			return err
		}
		return read(tx)
	})
}
