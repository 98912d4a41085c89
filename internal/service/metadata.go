package service

import (
	"context"

	"signet/internal/audit"
	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/metadata"
)

// Lengths of metadata in characters (contract, section 1, limits).
const (
	maxMetadataKey   = 64
	maxMetadataValue = 4096
)

func (s *Service) validMetadata(m map[string]string) error {
	if limit := s.limits.MetadataKeys; limit > 0 && len(m) > limit {
		return model.Invalidf("too_many_metadata_keys", "metadata", "At most %d keys are allowed.", limit)
	}
	for key, value := range m {
		if key == "" || len([]rune(key)) > maxMetadataKey {
			return model.Invalidf("metadata_key_invalid", key, "A key has 1 to %d characters.", maxMetadataKey)
		}
		if len([]rune(value)) > maxMetadataValue {
			return model.Invalidf("metadata_value_too_long", key, "A value has at most %d characters.", maxMetadataValue)
		}
	}
	return nil
}

// getMetadata returns an entity's metadata; an empty object where it has none.
func (s *Service) getMetadata(ctx context.Context, tx *store.Tx, organization model.OrganizationID,
	entity model.EntityID) (map[string]string, error) {
	sealed, found, err := metadata.Of(tx, organization, entity)
	if err != nil || !found {
		return map[string]string{}, err
	}
	return s.vault.OpenMetadata(ctx, organization, entity, sealed)
}

// Metadata shows what is kept for an entity in an organization (contract, call 19).
func (s *Service) Metadata(ctx context.Context, actor *model.Actor, address string,
	organization model.OrganizationID) (out map[string]string, err error) {
	var p subject
	err = s.store.View(ctx, func(tx *store.Tx) error {
		if p, err = s.subject(tx, actor, address, organization); err != nil {
			return err
		}
		out, err = s.getMetadata(ctx, tx, p.organization, p.entity)
		return err
	})
	if err == nil {
		err = s.recordMetadataRead(ctx, actor, &p)
	}
	return out, err
}

// recordMetadataRead adds the line of a read that took an administrator.
func (s *Service) recordMetadataRead(ctx context.Context, actor *model.Actor, p *subject) error {
	switch {
	case p.group && p.rights.overseen:
		return s.recordGroupRead(ctx, actor, model.ActionMetadataRead, p.organization, model.GroupID(p.entity))
	case !p.group && !p.own(actor) && !actor.MemberOf(p.organization):
		return s.reads.Record(ctx, s.now(), actor, model.AuditEntry{Action: model.ActionMetadataRead, Chain: p.organization,
			Organization: p.organization, User: model.AccountID(p.entity)})
	}
	return nil
}

// MetadataOf shows that of several entities, in their order; an empty object
// where there is none, or none that the actor may see.
func (s *Service) MetadataOf(ctx context.Context, actor *model.Actor, addresses []string,
	organization model.OrganizationID) (out []map[string]string, err error) {
	var seen []subject
	err = s.store.View(ctx, func(tx *store.Tx) error {
		out, seen = make([]map[string]string, 0, len(addresses)), nil
		for _, address := range addresses {
			m := map[string]string{}
			p, err := s.subject(tx, actor, address, organization)
			if err == nil {
				seen = append(seen, p)
				m, err = s.getMetadata(ctx, tx, p.organization, p.entity)
			}
			if err != nil && !model.IsNotFound(err) {
				return err
			}
			out = append(out, m)
		}
		return nil
	})
	for i := 0; i < len(seen) && err == nil; i++ {
		err = s.recordMetadataRead(ctx, actor, &seen[i])
	}
	return out, err
}

// SetMetadata replaces all that is kept for an entity; nil removes it. Of an
// account it takes the account itself or an administrator, of a group a member
// or an administrator (contract, call 20).
func (s *Service) SetMetadata(ctx context.Context, actor *model.Actor, address string,
	organization model.OrganizationID, m map[string]string) error {
	if err := s.validMetadata(m); err != nil {
		return err
	}
	if m == nil {
		return s.store.Update(ctx, s.access.Acting(actor, func(tx *store.Tx) error {
			p, err := s.subjectToDescribe(tx, actor, address, organization)
			if err != nil {
				return err
			}
			if err := metadata.Delete(tx, p.organization, p.entity); err != nil {
				return err
			}
			return s.recordDescribed(ctx, tx, actor, model.ActionMetadataDelete, &p)
		}))
	}
	var p subject
	var sealed []byte
	return s.vault.Update(ctx, func(leases *content.Leases) error {
		err := s.store.View(ctx, func(tx *store.Tx) (err error) {
			p, err = s.subjectToDescribe(tx, actor, address, organization)
			return err
		})
		if err == nil {
			sealed, err = s.vault.SealMetadata(ctx, leases, p.organization, p.entity, m)
		}
		return err
	}, s.access.Acting(actor, func(tx *store.Tx) error {
		if p.group { // what is kept for one that another call deletes would stay
			if err := tx.LockGroups(model.GroupID(p.entity)); err != nil {
				return err
			}
		}
		now, err := s.subjectToDescribe(tx, actor, address, organization)
		if err != nil {
			return err
		}
		if now.organization != p.organization || now.entity != p.entity {
			return content.ErrAgain
		}
		if err := s.putMetadata(tx, p.organization, p.entity, sealed); err != nil {
			return err
		}
		return s.recordDescribed(ctx, tx, actor, model.ActionMetadataSet, &now)
	}))
}

// putMetadata stores what was sealed, within what an organization may have as a whole.
func (s *Service) putMetadata(tx *store.Tx, organization model.OrganizationID, entity model.EntityID,
	sealed []byte) error {
	total, grew, err := metadata.Put(tx, organization, entity, sealed)
	if limit := s.limits.MetadataBytes; err == nil && limit > 0 && grew && total > limit {
		err = model.Invalidf("metadata_full", "metadata", "The metadata of the organization would have more than %d bytes.",
			limit)
	}
	return err
}

// recordDescribed adds the line of an administrator's change to another's metadata.
func (s *Service) recordDescribed(ctx context.Context, tx *store.Tx, actor *model.Actor, action model.AuditAction,
	p *subject) error {
	switch {
	case p.group && !p.rights.recorded, p.own(actor):
		return nil
	case p.group:
		return s.recordOnGroup(ctx, tx, actor, action, p.organization, model.GroupID(p.entity))
	}
	line := audit.NewLine(ctx, s.now(), actor, action)
	audit.OnOrganization(&line, p.organization)
	line.User = model.AccountID(p.entity)
	return audit.Record(tx, &line)
}

// subjectToDescribe finds an entity whose metadata the actor may set.
func (s *Service) subjectToDescribe(tx *store.Tx, actor *model.Actor, address string,
	organization model.OrganizationID) (subject, error) {
	p, err := s.subject(tx, actor, address, organization)
	if err != nil {
		return p, err
	}
	if !p.own(actor) && !actor.Administers(p.organization) && !(p.group && p.rights.change) {
		return p, model.NotAllowed()
	}
	return p, nil
}
