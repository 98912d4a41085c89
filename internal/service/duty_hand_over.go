package service

import (
	"context"
	"slices"
	"time"

	"signet/internal/backlog"
	"signet/internal/content"
	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/piecework"
	"signet/internal/store/rota"
)

// lateHandOver is how much later than planned a hand-over counts as late.
const lateHandOver = time.Second

// HandOvers is the work that changes the members of groups when others are on duty.
func (s *Service) HandOvers() *backlog.Kind {
	return &backlog.Kind{Number: store.HandOver, Name: "duty", Act: s.handOver, Lease: handOverLease}
}

// handOverLease is for how long no other server hands over what one is at: where that is killed, its hand-over
// waits so long.
const handOverLease = 2 * time.Second

// dutyTime is the time by which somebody is on duty. It is the store's, by which hand-overs are due: so servers
// agree, whatever their clocks show.
func (s *Service) dutyTime() time.Time { return s.time.StoreTime(s.now()).Truncate(time.Millisecond) }

// handOver makes the members of a group those whom its rota says. It does nothing where they are:
// so it may be done again, and whatever was missed comes right with the next.
func (s *Service) handOver(ctx context.Context, j *store.Job) (next backlog.Next, err error) {
	id, turn := rota.TurnOf(j)
	g, found, err := s.groupWithRota(ctx, id)
	if err != nil || !found {
		return backlog.Over(), err
	}
	now := s.dutyTime()
	if now.Before(turn.Planned) { // the job is due, by a clock that is known better
		now = turn.Planned
	}
	var again *look
	moved := false
	err = s.vault.Noting(ctx, now, func(pen *content.Pen) error {
		return s.changeGroupWith(ctx, pen, model.CommandLine(), id, func(in *groupChange) error {
			again, moved, err = in.handOver(id, turn, now)
			return err
		})
	}, g.Organization)
	if err != nil {
		return next, err
	}
	if moved {
		s.counts.HandOvers.Add(1)
		if !turn.Planned.IsZero() && s.dutyTime().Sub(turn.Planned) > lateHandOver {
			s.counts.LateHandOvers.Add(1)
		}
	}
	if again == nil {
		return backlog.Over(), nil
	}
	j.State = again.turn.Encode()
	return backlog.At(again.due), nil
}

// groupWithRota finds a group that has one.
func (s *Service) groupWithRota(ctx context.Context, id model.GroupID) (g model.Group, found bool, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		g, found, err = tx.Group(id)
		return err
	})
	return g, found && g.Duty && !g.Deleted, err
}

// look is when a rota is looked at next.
type look struct {
	turn rota.Turn
	due  time.Time
}

// handOver hands over in a transaction that has locked the group, and reports whether anybody has come
// or gone. It returns when that is done again; nil: by this job not any more.
func (in *groupChange) handOver(id model.GroupID, turn rota.Turn, now time.Time) (again *look, moved bool, err error) {
	g, found, err := in.Group(id)
	if err != nil || !found || g.Deleted || !g.Duty {
		return nil, false, err
	}
	k, here, err := rotaOf(in.Tx, id)
	if err != nil || turn.Version != 0 && turn.Version != k.Version { // a newer rota has a job of its own
		return nil, false, err
	}
	if g.Members, err = in.GroupMembers(id); err != nil {
		return nil, false, err
	}
	vacant := k.Vacant
	if moved, err = in.enforce(&g, &k, here, now, false); err != nil {
		return nil, false, err
	}
	if k.Vacant != vacant {
		if err := rota.SetVacant(in.Tx, id, k.Vacant); err != nil {
			return nil, false, err
		}
	}
	if planned, due, more := nextLook(&k.Rota, now); more && turn.Version != 0 {
		again = &look{rota.Turn{Version: k.Version, Planned: planned}, due}
	}
	return again, moved, nil
}

// enforce makes the members of a group those whom its rota says at a time, and tells those who come
// and go, and who stay; where nobody is on duty from then on, administrators too. The rota then says
// whether nobody is. It reports whether anybody has come or gone; told says that the members are told of
// the group in any case.
func (in *groupChange) enforce(g *model.Group, k *rota.Kept, here func(model.AccountID) bool, now time.Time,
	told bool) (moved bool, err error) {
	d := k.At(now, here)
	leaving, entering := fanout.Without(g.Members, d.Members), fanout.Without(d.Members, g.Members)
	var admins []model.AccountID
	was := k.Vacant
	if k.Vacant = d.On.IsZero(); k.Vacant && !was {
		if admins, err = administratorsOf(in.Tx, g); err != nil {
			return false, err
		}
	}
	moved = len(leaving)+len(entering) > 0
	if !moved && !told && len(admins) == 0 {
		return false, nil
	}
	if concerned := slices.Concat(g.Members, entering, admins); len(concerned) > 0 {
		if err := in.LockQueues(concerned...); err != nil {
			return false, err
		}
	}
	nobody := &model.Actor{} // it is nobody's act
	moves, err := in.plan.Moves(in.pen, nobody, g, leaving, entering)
	if err != nil {
		return false, err
	}
	if told || moved && !moves.Each {
		by := model.AccountID{}
		if told {
			by = in.actor.Account
		}
		moves.Pieces = append(moves.Pieces, fanout.Update(g, g.Members, by, moves.Sort))
	}
	return moved, in.plan.Do(g, append(moves.Pieces, vacancy(g, d.Away, admins))...)
}

// administratorsOf are those who are told of a group: the administrators of its organization, and who
// created it.
func administratorsOf(tx *store.Tx, g *model.Group) ([]model.AccountID, error) {
	admins, err := tx.Holders(g.Organization, model.RoleAdmin)
	if err != nil || g.CreatedBy.IsZero() || slices.Contains(admins, g.CreatedBy) {
		return admins, err
	}
	member, err := tx.IsMember(g.Organization, g.CreatedBy)
	if member {
		admins = append(admins, g.CreatedBy)
	}
	return admins, err
}

// vacancy tells administrators that nobody is on duty, and whose turn it is.
func vacancy(g *model.Group, away model.AccountID, admins []model.AccountID) piecework.Piece {
	request := store.Payload{Account: away, State: "duty", Entity: g.Entity(), Group: true}
	return piecework.Piece{Deed: piecework.Tell, Kind: model.EventAdminRequest, Payload: request.Encode(),
		Accounts: admins}
}
