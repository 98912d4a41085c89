package service

import (
	"context"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

// recordOnGroup adds the line of an administrator's act on a group; the same act of a
// member leaves none. It comes last in a transaction.
func (s *Service) recordOnGroup(ctx context.Context, tx *store.Tx, actor *model.Actor, action model.AuditAction,
	organization model.OrganizationID, id model.GroupID) error {
	line := audit.NewLine(ctx, s.now(), actor, action)
	audit.OnOrganization(&line, organization)
	line.Group = id
	return audit.RecordOf(tx, actor, &line)
}

// recordGroupRead adds the line of reading a group that the actor saw as an administrator.
func (s *Service) recordGroupRead(ctx context.Context, actor *model.Actor, action model.AuditAction,
	organization model.OrganizationID, id model.GroupID) error {
	return s.reads.Record(ctx, s.now(), actor, model.AuditEntry{Action: action, Chain: organization,
		Organization: organization, Group: id})
}
