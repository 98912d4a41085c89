package stream

import (
	"context"
	"errors"
	"slices"
	"time"

	"signet/internal/access"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store/auditlog"
)

const (
	// auditTick is how often a stream of the audit log looks for new lines, and whether its
	// reader may read them still: within a second, whichever server wrote them.
	auditTick = 500 * time.Millisecond

	// auditBatch is how many lines it reads at a time.
	auditBatch = 100
)

// AuditSink writes a stream of the audit log.
type AuditSink interface {
	Sink

	// Line adds a line of the log.
	Line(line *auditlog.Row) error
}

// AuditRequest is which part of the log a stream has, from where on.
type AuditRequest struct {
	Organization model.OrganizationID // empty: the platform's part
	After        *int64               // the line after which it begins; nil: the newest
	Heartbeat    time.Duration        // as of a Request
}

// auditStream is an open one. One goroutine uses it.
type auditStream struct {
	streams *Streams
	sub     *live.Subscription
	actor   *model.Actor
	request AuditRequest
	sink    AuditSink
	after   int64 // number of the last line that was written
}

// FollowAudit writes a part of the audit log to a sink, each line once in the order of its
// number, until ctx, the reader's right or the server ends, or the sink fails. The log is the
// only truth: nothing is kept for a reader, and one that is slow is read for later. An
// account has as many of these streams on a server as it may have of events; past that its
// oldest one ends.
func (s *Streams) FollowAudit(ctx context.Context, actor *model.Actor, request AuditRequest, sink AuditSink) error {
	// As a waiting poll it ends with its key and its account, and makes nobody present.
	st := &auditStream{streams: s, actor: actor, request: request, sink: sink,
		sub: s.registry.hub.Subscribe(live.Subscriber{Account: actor.Account, Key: actor.Key.Key, Secret: actor.Secret,
			Scope: actor.Key.Scope, Member: len(actor.Memberships) > 0})}
	defer st.sub.Close()
	var err error
	if st.after, err = s.cases.FollowAudit(ctx, actor, request.Organization, request.After); err != nil {
		return err
	}
	s.addAudit(st)
	defer s.removeAudit(st)
	if err := sink.Comment(); err != nil {
		return err
	}
	if err = st.follow(ctx); ctx.Err() != nil || mayNot(err) {
		return nil // the reader has left, or has no right any more
	}
	return err
}

// mayNot reports whether an error says that somebody may not do a thing.
func mayNot(err error) bool {
	told, ok := errors.AsType[*model.Error](err)
	return ok && (told.Kind == model.Unauthenticated || told.Kind == model.Forbidden || told.Kind == model.NotFound)
}

func (st *auditStream) follow(ctx context.Context) error {
	look := time.NewTicker(auditTick)
	defer look.Stop()
	interval := st.request.Heartbeat
	if interval == 0 {
		interval = st.streams.registry.quietComment
	}
	beat := time.NewTicker(interval)
	defer beat.Stop()
	for {
		err := st.write(ctx)
		if err == nil {
			err = st.sink.Flush()
		}
		if err != nil {
			return err
		}
		select {
		case <-look.C:
		case <-beat.C:
			if err := sayAlive(st.sink, st.request.Heartbeat); err != nil {
				return err
			}
		case <-st.sub.Wake():
			st.sub.Take() // of the account's queue, which is not what is read here
		case <-st.sub.Done():
			return goodbye(st.sink, st.sub.Reason())
		case <-ctx.Done():
			return nil
		}
	}
}

// write writes what has come into the log.
func (st *auditStream) write(ctx context.Context) error {
	for more := true; more; {
		actor, err := st.streams.access.Current(ctx, st.actor)
		if err == nil {
			err = access.WantSecondFactor(actor)
		}
		if err != nil {
			return err
		}
		st.actor = actor
		var lines []auditlog.Row
		lines, more, err = st.streams.cases.AuditAfter(ctx, actor, st.request.Organization, st.after, auditBatch)
		if err != nil {
			return err
		}
		for i := range lines {
			if err := st.sink.Line(&lines[i]); err != nil {
				return err
			}
			st.after = lines[i].Number
		}
		if len(lines) == 0 {
			return nil
		}
		if err := st.sink.Flush(); err != nil {
			return err
		}
		select {
		case <-st.sub.Done():
			return nil // said by the caller
		default:
		}
	}
	return nil
}

// addAudit notes a stream of the audit log, and ends the account's oldest one past the
// limit.
func (s *Streams) addAudit(st *auditStream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.auditing[st.actor.Account]
	if limit := s.registry.limit; limit > 0 && len(all) >= limit {
		all[0].sub.End(live.Replaced)
		all = all[1:]
	}
	s.auditing[st.actor.Account] = append(all[:len(all):len(all)], st)
}

func (s *Streams) removeAudit(st *auditStream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.auditing[st.actor.Account]
	if i := slices.Index(all, st); i >= 0 {
		all = slices.Delete(slices.Clone(all), i, i+1)
	}
	if s.auditing[st.actor.Account] = all; len(all) == 0 {
		delete(s.auditing, st.actor.Account)
	}
}
