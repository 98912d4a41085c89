package webhook

import (
	"context"
	"errors"
	"time"

	"signet/internal/access"
	"signet/internal/backlog"
	"signet/internal/model"
	"signet/internal/store"
)

const (
	// pageSize is how many events are read at once.
	pageSize = 100
	// pageLife is how long what was read is delivered: a message that has ended goes nowhere a second later.
	pageLife = time.Second
	// flushEvents and flushTime are after how many events, and how long, is noted how far it has come: so
	// many are POSTed again after a crash.
	flushEvents = 100
	flushTime   = 250 * time.Millisecond
	// askAgain is how long what the webhook opens is taken for true, once it was asked.
	askAgain = 500 * time.Millisecond
	// lackPause is how long a webhook waits that a password alone made, where that is not enough.
	lackPause = time.Minute
	// slack is how much earlier than its next try a webhook's job may be due, which another clock says.
	slack = time.Second
	// lastWords is how long noting may take once the server stops.
	lastWords = 2 * time.Second
)

// delivery is a job at a webhook.
type delivery struct {
	*Webhooks
	w       store.WebhookRow // as it is stored
	secrets [][]byte         // opened
	actor   *model.Actor
	asked   time.Time // when who the actor is was asked

	position  int64 // up to which events were delivered, or passed over
	succeeded time.Time
	tries     []store.WebhookDelivery
	taken     []model.Event // that are to be acknowledged
	flushed   time.Time
}

var (
	// errLost ends a job whose webhook was deleted or disabled, or that is another job's by now.
	errLost = errors.New("the webhook is no more this job's")
	// errChanged ends a part of a job whose webhook is no more as it was read: a caller has changed it, or how far
	// it has come was noted by a server that was thought to have failed. The next part begins with that.
	errChanged = errors.New("the webhook was changed")
)

// act delivers what is queued for a webhook, until nothing is left, a try fails, or its turn is over.
func (h *Webhooks) act(ctx context.Context, j *store.Job) (backlog.Next, error) {
	d := &delivery{Webhooks: h, flushed: time.Now()}
	next, err := d.deliver(ctx, j)
	switch {
	case err == nil:
		return next, nil
	case errors.Is(err, errLost):
		return backlog.Over(), nil
	case errors.Is(err, errChanged):
		return backlog.Again(), nil
	}
	if d.w.Run != 0 { // its turn is over, or the server stops: what was delivered stays so
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
		defer cancel()
		if noted := d.flush(last); noted != nil && !errors.Is(noted, errChanged) {
			err = errors.Join(err, noted)
		}
	}
	return backlog.Next{}, err
}

func (d *delivery) deliver(ctx context.Context, j *store.Job) (backlog.Next, error) {
	wait, err := d.begin(ctx, j)
	switch {
	case err != nil:
		return backlog.Next{}, err
	case wait > slack:
		return backlog.At(d.Due().Add(wait)), nil
	}
	for {
		if next, opens, err := d.ask(ctx); !opens || err != nil {
			return next, err
		}
		// What is there before the queue is read is passed over, though nobody may see it.
		last, err := store.Read(ctx, d.Store, func(tx *store.Tx) (int64, error) { return tx.LastKept(d.w.Account) })
		if err != nil {
			return backlog.Next{}, err
		}
		events, more, err := d.read(ctx)
		if err != nil {
			return backlog.Next{}, err
		}
		for read := time.Now(); len(events) > 0; events = events[1:] {
			if time.Since(read) > pageLife { // some of them may have ended meanwhile
				more = true
				break
			}
			if next, opens, err := d.ask(ctx); !opens || err != nil {
				return next, err
			}
			next, failed, err := d.event(ctx, &events[0])
			if failed || err != nil {
				return next, err
			}
		}
		if !more {
			d.position = max(d.position, last)
			return backlog.Over(), d.rest(ctx)
		}
	}
}

// begin reads the webhook. wait is how long its next try is off: a server that was killed after a try failed has
// noted that, and not when its job is due.
func (d *delivery) begin(ctx context.Context, j *store.Job) (wait time.Duration, err error) {
	account, id, run := store.DeliveryOf(j)
	w, found, err := d.webhook(ctx, account, id)
	if err == nil && (!found || !w.Enabled || w.Run != run) {
		err = errLost
	}
	if err != nil {
		return 0, err
	}
	if wait := w.NextTry.Sub(d.now()); wait > slack {
		return wait, nil
	}
	if !w.NextTry.IsZero() { // from here on a change of the webhook leaves the job to this one
		working := w
		working.NextTry = time.Time{}
		d.w, d.position = w, w.Position
		if err := d.note(ctx, &working, nothing); err != nil {
			return 0, err
		}
		w = working
	}
	return 0, d.use(ctx, w)
}

func (d *delivery) webhook(ctx context.Context, account model.AccountID, id model.WebhookID) (w store.WebhookRow,
	found bool, err error) {
	err = d.Store.View(ctx, func(tx *store.Tx) (err error) {
		w, found, err = tx.Webhook(account, id)
		return err
	}, store.Short)
	return w, found, err
}

// lost finds out why how far the webhook has come could not be noted.
func (d *delivery) lost(ctx context.Context) error {
	w, found, err := d.webhook(ctx, d.w.Account, d.w.ID)
	switch {
	case err != nil:
		return err
	case found && w.Enabled && w.Run == d.w.Run:
		return errChanged
	default:
		return errLost
	}
}

// use goes on with a webhook as it is stored.
func (d *delivery) use(ctx context.Context, w store.WebhookRow) (err error) {
	d.w, d.position, d.asked = w, w.Position, time.Time{}
	d.secrets, err = d.open(ctx, &w)
	return err
}

// open opens what a webhook signs with now: after a rotation both secrets, for a while.
func (h *Webhooks) open(ctx context.Context, w *store.WebhookRow) ([][]byte, error) {
	sealed := [][]byte{w.Secret}
	if len(w.Previous) > 0 && h.now().Before(w.PreviousUntil) {
		sealed = append(sealed, w.Previous)
	}
	out := make([][]byte, len(sealed))
	for i := range sealed {
		var err error
		if out[i], err = h.Vault.OpenSecret(ctx, &w.Webhook, sealed[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ask finds out, now and then, who the actor is. Where the webhook opens nothing now, the job is to do what next
// says.
func (d *delivery) ask(ctx context.Context) (next backlog.Next, opens bool, err error) {
	if time.Since(d.asked) < askAgain {
		return backlog.Next{}, true, nil
	}
	actor, standing, err := d.Access.WebhookActor(ctx, &d.w.Webhook)
	if err != nil {
		return backlog.Next{}, false, err
	}
	d.actor, d.asked = actor, time.Now()
	switch standing {
	case access.Opens:
		return backlog.Next{}, true, nil
	case access.Ended:
		return backlog.Over(), false, d.disable(ctx, d.done(), model.WebhookKey)
	case access.Rests: // once the account is enabled something is queued for it
		return backlog.Over(), false, d.rest(ctx)
	case access.Lacks: // nothing tells when that is over, and something is queued still
		return backlog.At(d.Due().Add(lackPause)), false, d.flush(ctx)
	default:
		return backlog.Next{}, false, errLost
	}
}

// read reads the next part of the queue.
func (d *delivery) read(ctx context.Context) (events []model.Event, more bool, err error) {
	upTo, kept, replays := int64(store.EndOfQueue), !d.w.Acknowledge, d.w.Acknowledge && d.position < d.w.Replay
	if replays {
		upTo, kept = d.w.Replay, true
	}
	events, more, err = d.Cases.WebhookEvents(ctx, d.actor, d.position, upTo, kept, pageSize)
	if err == nil && replays && !more {
		more = true // what was queued since is read next
		if len(events) == 0 {
			d.position = d.w.Replay
		}
	}
	return events, more, err
}

// event delivers an event. failed says that the job is to do what next says.
func (d *delivery) event(ctx context.Context, e *model.Event) (next backlog.Next, failed bool, err error) {
	cursor, _ := model.ParseCursor(e.ID)
	if d.w.Wants(e.Kind) {
		t, err := d.try(ctx, e, cursor.Position)
		if err != nil {
			return backlog.Next{}, false, err
		}
		d.tries = append(d.tries, t.WebhookDelivery)
		if !t.delivered() {
			next, err := d.fail(ctx, &t)
			return next, true, err
		}
		d.succeeded = d.now()
		if d.w.Acknowledge {
			d.taken = append(d.taken, *e)
		}
	}
	d.position = cursor.Position
	if len(d.tries) >= flushEvents || time.Since(d.flushed) >= flushTime {
		if err := d.flush(ctx); err != nil {
			return backlog.Next{}, false, err
		}
	}
	return backlog.Next{}, false, backlog.Turn(ctx)
}

// done is the webhook as it is when what was delivered is noted.
func (d *delivery) done() store.WebhookRow {
	w := d.w
	w.Position = d.position
	if !d.succeeded.IsZero() {
		w.LastSuccess, w.Failures, w.FailingSince = d.succeeded, 0, time.Time{}
	}
	return w
}

// flush notes how far the webhook has come, and acknowledges what it is to.
func (d *delivery) flush(ctx context.Context) error {
	w := d.done()
	return d.note(ctx, &w, nothing)
}

func nothing(*store.Tx) error { return nil }

// note writes the webhook with the tries since the last time, and what more is to be written with it.
func (d *delivery) note(ctx context.Context, w *store.WebhookRow, more func(*store.Tx) error) error {
	d.flushed = time.Now()
	if len(d.taken) > 0 {
		if err := d.Cases.AcknowledgeEvents(ctx, d.actor, d.taken); err != nil {
			return err
		}
		d.taken = nil
	}
	if len(d.tries) == 0 && w.Position == d.w.Position && w.Run == d.w.Run && w.NextTry.Equal(d.w.NextTry) &&
		w.Enabled == d.w.Enabled {
		return nil
	}
	err := d.Store.Update(ctx, func(tx *store.Tx) error {
		if !w.Enabled { // it is told, and queues are locked before the rest
			if err := tx.LockQueues(w.Account); err != nil {
				return err
			}
		}
		ok, err := tx.AdvanceWebhook(&d.w, w)
		if err != nil {
			return err
		}
		if !ok {
			return errLost
		}
		if err := tx.PutDeliveries(w.Account, w.ID, d.tries); err != nil {
			return err
		}
		return more(tx)
	})
	if errors.Is(err, errLost) {
		return d.lost(ctx)
	}
	if err == nil { // else it is noted once more when the job ends
		d.w, d.tries, d.succeeded = *w, nil, time.Time{}
	}
	return err
}

// rest ends the job, since nothing is left. What is queued from here on gets another one, and so does what
// came after the queue was read and before that was noted.
func (d *delivery) rest(ctx context.Context) error {
	w := d.done()
	w.Run = 0
	if err := d.note(ctx, &w, nothing); err != nil {
		return err
	}
	if err := d.Arm(ctx, d.w.Account); err != nil {
		d.Changed() // which looks what waits
		return err
	}
	return nil
}

// fail notes that a try failed, and when is tried next, or that it is not any more.
func (d *delivery) fail(ctx context.Context, t *try) (backlog.Next, error) {
	now := d.now()
	w := d.done()
	if w.FailingSince.IsZero() {
		w.FailingSince = now
	}
	w.Failures++
	at, again := nextTry(now, w.FailingSince, w.Failures, t.wait, d.Chance())
	why := model.WebhookSilent
	if t.Status == statusGone {
		again, why = false, model.WebhookGone
	}
	if !again {
		return backlog.Over(), d.disable(ctx, w, why)
	}
	w.NextTry = at
	return backlog.At(d.Due().Add(at.Sub(now))), d.note(ctx, &w, nothing)
}

// disable ends the webhook for the server's part: its owner, or who manages it, enables it again.
func (d *delivery) disable(ctx context.Context, w store.WebhookRow, why model.WebhookEnd) error {
	w.Enabled, w.Ended, w.Run, w.NextTry = false, why, 0, time.Time{}
	err := d.note(ctx, &w, func(tx *store.Tx) error { return d.Access.EndWebhook(ctx, tx, &w.Webhook) })
	if err != nil {
		return err
	}
	d.Counts.ended(why).Add(1)
	d.Log.InfoContext(ctx, "a webhook was disabled", "webhook", w.ID.String(), "account", w.Account.String(), "reason",
		string(why))
	d.Access.Wake(ctx, w.Account)
	d.Changed()
	return nil
}
