package fanout

import (
	"cmp"
	"context"
	"time"

	"signet/internal/backlog"
	"signet/internal/disk"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/piecework"
)

// together is how many pieces are done in one transaction at most.
const together = 20

// Options are what a Fanout works with.
type Options struct {
	Store *store.Store
	Hub   *live.Hub
	Clock func() time.Time
	Room  *disk.Room // nil: there is room for everything
	Rows  int        // that the transaction of a call writes; 0: 500

	// Told is called in the transaction that queues a message of a group with accounts; nil: nobody wants to
	// know.
	Told func(tx *store.Tx, organization model.OrganizationID, message model.MessageID, accounts []model.AccountID) error
}

// Fanout does what is too much for one transaction. It is safe for concurrent use.
type Fanout struct {
	Options
	rows int
}

// New returns what does the rest of what calls begin, where its Kind is registered; else it does
// what calls wait for.
func New(o Options) *Fanout { return &Fanout{Options: o, rows: cmp.Or(o.Rows, Rows)} }

// Kind is the work that is left of a group, or of an organization, after a call.
func (f *Fanout) Kind() *backlog.Kind {
	return &backlog.Kind{Number: store.FanOut, Name: "fanout", Merges: true,
		Step: func(tx *store.Tx, j *store.Job) (backlog.Next, error) {
			told, more, err := f.next(tx, crowdOf(j.Subject))
			if err != nil || !more {
				return backlog.Over(), err
			}
			next := backlog.Again()
			if next.Rows = 2 * len(told); tx.Locks() {
				next.Rows = backlog.Rows // queues are locked, and what another job locks comes before them
			}
			next.Done = func() { f.Hub.Wake(context.Background(), told...) }
			return next, nil
		}}
}

// crowd is whom something is brought to: the members of a group, or those of an
// organization where the group is zero.
type crowd struct {
	organization model.OrganizationID
	group        model.GroupID
}

// subject is the stored form of a crowd.
func (c crowd) subject() []byte { return append(c.group[:], c.organization...) }

func crowdOf(subject []byte) crowd {
	var c crowd
	n := copy(c.group[:], subject)
	c.organization = model.OrganizationID(subject[n:])
	return c
}

// Carry goes on with a plan whose transaction is on disk: it wakes readers, and returns when
// what the call promises is so. An error says that it is not so yet; it will be.
func (f *Fanout) Carry(ctx context.Context, p *Plan) error {
	if rows, ok := ctx.Value(counting{}).(*int); ok {
		*rows += p.Cost
	}
	f.Hub.Wake(ctx, p.Told...)
	for _, c := range p.must {
		if err := f.finish(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// Finish returns when everybody whom a call has put into a group or taken out of it, is.
func (f *Fanout) Finish(ctx context.Context, g *model.Group) error {
	return f.finish(ctx, crowd{g.Organization, g.ID})
}

func (f *Fanout) finish(ctx context.Context, c crowd) error {
	for {
		waits, err := store.Read(ctx, f.Store, func(tx *store.Tx) (bool, error) {
			return piecework.HasPieces(tx, c.organization, c.group, piecework.Enter, piecework.Leave, piecework.Recall)
		})
		if err != nil || !waits {
			return err
		}
		begun := time.Now()
		var told []model.AccountID
		err = f.Room.Sparing(func() error {
			return f.Store.Update(ctx, func(tx *store.Tx) (err error) {
				told, _, err = f.next(tx, c)
				return err
			})
		})
		if err != nil {
			return err
		}
		f.Hub.Wake(ctx, told...)
		if err := backlog.Rest(ctx, begun); err != nil {
			return err
		}
	}
}

// next does pieces of a crowd, and returns whom they concern; where there are none, the next of its
// history. more is false where nothing was left.
func (f *Fanout) next(tx *store.Tx, c crowd) (told []model.AccountID, more bool, err error) {
	g := model.Group{ID: c.group, Organization: c.organization}
	if c.group.IsZero() {
		err = tx.LockOrganization(c.organization)
	} else if err = tx.LockGroup(c.group); err == nil {
		g, _, err = tx.Group(c.group)
	}
	if err != nil {
		return nil, false, err
	}
	now := f.Clock().UTC().Truncate(time.Millisecond)
	// Each names all of its accounts, of whom one transaction does some: the others are read only where
	// the first one is so small that they are done with it.
	left, did, most := max(f.rows/share, 1), 0, together
	if tx.Locks() { // each piece locks the queues of its accounts in their order, and all of them at once
		most = 1
	}
	for limit := 1; left > 0 && did < most; limit = most - did {
		pieces, err := piecework.Pieces(tx, c.organization, c.group, limit)
		if err != nil {
			return nil, false, err
		}
		if len(pieces) == 0 {
			break
		}
		for i := 0; i < len(pieces) && left > 0; i++ {
			var some []model.AccountID
			if some, left, err = part(tx, &g, &pieces[i], now, left); err != nil {
				return nil, false, err
			}
			if p := &pieces[i]; p.Deed == piecework.Tell && p.Kind == model.EventGroupMessage {
				if err := f.tell(tx, p.Organization, p.Message, some); err != nil {
					return nil, false, err
				}
			}
			told = append(told, some...)
			did++
		}
	}
	if did > 0 || c.group.IsZero() {
		return told, did > 0, nil
	}
	told, _, err = piecework.Replay(tx, &g, now, max(left/2, 1))
	return told, len(told) > 0, err
}

// tell tells who wants to know that a group's message was queued with accounts.
func (f *Fanout) tell(tx *store.Tx, organization model.OrganizationID, message model.MessageID,
	accounts []model.AccountID) error {
	if f.Told == nil {
		return nil
	}
	return f.Told(tx, organization, message, accounts)
}

// part does a piece, or as much of it as writes no more than so many rows, and returns how
// many more may be written: none where the piece is not done yet.
func part(tx *store.Tx, g *model.Group, p *piecework.Piece, now time.Time, rows int) (told []model.AccountID, left int,
	err error) {
	if p.Deed == piecework.TellAll {
		told, over, err := tellAll(tx, p, max(rows/2, 1))
		if left = rows - 2*len(told); !over {
			left = 0
		}
		return told, left, err
	}
	all := p.Accounts
	p.Accounts = all[:min(max(rows/rowsOf(p), 1), len(all))]
	told = p.Accounts
	if err := do(tx, g, p, now); err != nil {
		return nil, 0, err
	}
	if p.Accounts = all[len(told):]; len(p.Accounts) > 0 {
		return told, 0, piecework.ShortenPiece(tx, p)
	}
	return told, rows - rowsOf(p)*len(told), piecework.DeletePiece(tx, p)
}
