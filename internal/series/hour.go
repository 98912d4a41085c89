package series

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"

	"signet/internal/backlog"
	"signet/internal/model"
	"signet/internal/store"
	stored "signet/internal/store/series"
)

const (
	// sizesAfter is how long after an hour it is counted what is stored, and hourSettled when the
	// last of what the hour's messages lead to is written.
	sizesAfter  = 6 * time.Minute
	hourSettled = lateSettled + 4*time.Minute
	// minutesKept is how long after its hour a minute is kept: longer than is promised, because the
	// last hour of a day is made out of all minutes of the day.
	minutesKept = 26 * time.Hour
	// hoursKept is how long hours are kept.
	hoursKept = 400 * day

	// someOrganizations is how many are looked at together.
	someOrganizations = 50
	// hourLease is for how long no other server works on an hour.
	hourLease = time.Minute
)

// hourWork is what is to be done about an hour: the job is about its beginning, and its state says
// how far it has come.
type hourWork struct {
	*Recorder
	hour time.Time
	progress
}

// progress is the state of the job.
type progress struct {
	Stage int                  `json:"stage"`
	After model.OrganizationID `json:"after,omitempty"` // the organization up to which the stage has come
	File  model.BlobID         `json:"file"`            // the file, likewise
	Bytes int64                `json:"bytes,omitempty"` // of the files
}

// stages are what is done about an hour, some time after its end.
var stages = []struct {
	after time.Duration
	do    func(*hourWork, context.Context) error
}{
	{sizesAfter, (*hourWork).sizeFiles},
	{sizesAfter, (*hourWork).sizeOrganizations},
	{hourSettled, (*hourWork).makeOrganizations},
	{hourSettled, (*hourWork).makeInstallation},
	{minutesKept, (*hourWork).forget},
}

// Kind is the kind of the jobs that make hours. Each may be done again.
func (r *Recorder) Kind() *backlog.Kind {
	return &backlog.Kind{Number: store.CountHour, Name: "figures", Act: r.doHour, Lease: hourLease, Erases: true}
}

// noteHour notes that an hour is to be made, with the first of its minutes.
func noteHour(tx *store.Tx, hour, now time.Time) error {
	first, err := stored.Claim(tx, &stored.Row{Step: stored.Hour, Begun: hour})
	if err != nil || !first {
		return err
	}
	return noteJob(tx, hour, hour.Add(time.Hour), now)
}

// noteAgain notes that an hour is to be made once more, because a server had no store for so long.
// The other minutes that it kept are written when that is due.
func noteAgain(tx *store.Tx, hour, now time.Time) error { return noteJob(tx, hour, now, now) }

func noteJob(tx *store.Tx, hour, after, now time.Time) error {
	return tx.NoteJob(&store.Job{Kind: store.CountHour, Subject: binary.BigEndian.AppendUint64(nil, uint64(hour.Unix())),
		Due: after.Add(sizesAfter), Noted: now})
}

// doHour does what is due about an hour.
func (r *Recorder) doHour(ctx context.Context, j *store.Job) (backlog.Next, error) {
	if len(j.Subject) != 8 {
		return backlog.Next{}, errors.New("the job is about no hour")
	}
	w := &hourWork{Recorder: r, hour: time.Unix(int64(binary.BigEndian.Uint64(j.Subject)), 0).UTC()}
	if len(j.State) > 0 {
		if err := json.Unmarshal(j.State, &w.progress); err != nil {
			return backlog.Next{}, err
		}
	}
	for w.Stage < len(stages) {
		stage := stages[w.Stage]
		var err error
		due := w.end().Add(stage.after)
		ready := !r.now().Before(due)
		if ready {
			if err = stage.do(w, ctx); err == nil {
				w.progress = progress{Stage: w.Stage + 1}
				continue
			}
		}
		var fault error
		if j.State, fault = json.Marshal(w.progress); !ready || fault != nil {
			return backlog.At(due), fault
		}
		return backlog.Next{}, err
	}
	return backlog.Over(), nil
}

func (w *hourWork) end() time.Time { return w.hour.Add(time.Hour) }

// tooLate reports whether what is stored now tells nothing about the time of the hour.
func (w *hourWork) tooLate() bool { return w.now().After(w.end().Add(time.Hour)) }

// eachOrganization calls do for those of the organizations that choose returns. Where it ends with
// an error, those that are done stay so.
func (w *hourWork) eachOrganization(ctx context.Context,
	choose func(tx *store.Tx, some []model.OrganizationID) ([]model.OrganizationID, error),
	do func(model.OrganizationID) error) error {
	for {
		var some, chosen []model.OrganizationID
		err := w.Store.View(ctx, func(tx *store.Tx) (err error) {
			if some, err = stored.OrganizationsAfter(tx, w.After, someOrganizations); err != nil {
				return err
			}
			chosen, err = choose(tx, some)
			return err
		})
		if err != nil || len(some) == 0 {
			return err
		}
		for _, id := range chosen {
			begun := time.Now()
			if err := do(id); err != nil {
				return err
			}
			w.After = id
			if err := backlog.Rest(ctx, begun); err != nil {
				return err
			}
		}
		w.After = some[len(some)-1]
	}
}

// makeOrganizations makes the hour of organizations.
func (w *hourWork) makeOrganizations(ctx context.Context) error {
	counted := func(tx *store.Tx, some []model.OrganizationID) ([]model.OrganizationID, error) {
		return stored.ActiveAmong(tx, some, w.hour, w.end(), model.NodeID{})
	}
	return w.eachOrganization(ctx, counted, func(id model.OrganizationID) error {
		rows, err := store.Read(ctx, w.Store, func(tx *store.Tx) ([]stored.Row, error) {
			return stored.Rows(tx, id, stored.Minute, w.hour.Truncate(day), w.end().Add(lateSettled))
		})
		if err != nil {
			return err
		}
		made, err := partsOf(rows, time.Hour)
		if err != nil || made[w.hour] == nil {
			return err
		}
		return w.putParts(ctx, stored.Row{Organization: id, Step: stored.Hour, Begun: w.hour,
			Counted: made[w.hour].stored()})
	})
}

func (w *hourWork) putParts(ctx context.Context, rows ...stored.Row) error {
	return w.Store.Update(ctx, func(tx *store.Tx) error { return putParts(tx, rows) })
}

// makeInstallation makes the hour of the installation: last of all, because from then on the hour
// is made.
func (w *hourWork) makeInstallation(ctx context.Context) error {
	rows, err := store.Read(ctx, w.Store, func(tx *store.Tx) ([]stored.Row, error) {
		return stored.Rows(tx, "", stored.Minute, w.hour, w.end())
	})
	if err != nil || len(rows) == 0 { // they were forgotten: the hour was made then
		return err
	}
	minutes, err := wholes(rows)
	if err != nil {
		return err
	}
	hour := new(whole)
	for _, at := range sorted(minutes) {
		hour.follow(minutes[at])
	}
	row := stored.Row{Step: stored.Hour, Begun: w.hour, Counted: hour.stored()}
	return w.Store.Update(ctx, func(tx *store.Tx) error { return stored.Put(tx, &row) })
}

// forget removes the minutes of the hour, and hours that are too old.
func (w *hourWork) forget(ctx context.Context) error {
	if err := w.forgetOf(ctx, []model.OrganizationID{""}); err != nil {
		return err
	}
	for {
		some, err := store.Read(ctx, w.Store, func(tx *store.Tx) ([]model.OrganizationID, error) {
			return stored.OrganizationsAfter(tx, w.After, someOrganizations)
		})
		if err != nil || len(some) == 0 {
			return err
		}
		if err := w.forgetOf(ctx, some); err != nil {
			return err
		}
		w.After = some[len(some)-1]
	}
}

// forgetOf does that for some organizations, or for the installation.
func (w *hourWork) forgetOf(ctx context.Context, of []model.OrganizationID) error {
	for n := backlog.Rows; n == backlog.Rows; {
		begun := time.Now()
		err := w.Store.Update(ctx, func(tx *store.Tx) (err error) {
			if n, err = stored.Forget(tx, of, stored.Minute, w.hour, w.end(), backlog.Rows); err != nil || n == backlog.Rows {
				return err
			}
			n, err = stored.Forget(tx, of, stored.Hour, time.Unix(0, 0), w.hour.Add(-hoursKept), backlog.Rows)
			return err
		})
		if err != nil {
			return err
		}
		if err := backlog.Rest(ctx, begun); err != nil {
			return err
		}
	}
	return nil
}
