package stream

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/presence"
)

// scopes are those of the keys with which an account has streams: it is present in these
// organizations, and everywhere where one has no scope (contract, section 1).
type scopes []model.OrganizationID

func (s scopes) cover(organization model.OrganizationID) bool {
	return slices.Contains(s, "") || slices.Contains(s, organization)
}

// with returns the scopes and one more.
func (s scopes) with(scope model.OrganizationID) scopes { return append(slices.Clone(s), scope) }

// without returns the scopes but one.
func (s scopes) without(scope model.OrganizationID) scopes {
	return slices.DeleteFunc(slices.Clone(s), func(other model.OrganizationID) bool { return other == scope })
}

// arrived notes that a stream was opened. Those who have the account in their roster,
// and are in its own, are told when it is its first within an organization where they do. The
// stream has its queue up to a position.
func (r *Registry) arrived(ctx context.Context, sub *live.Subscription, upTo int64) error {
	var before scopes
	if r.node != nil {
		var err error
		if before, err = r.node.open(ctx, sub, upTo); err != nil {
			return err
		}
	} else {
		r.mu.Lock()
		if before = r.present[sub.Account]; !slices.Contains(before, sub.Scope) {
			r.present[sub.Account] = before.with(sub.Scope)
		}
		r.mu.Unlock()
	}
	r.tellArrived(ctx, sub, before)
	return nil
}

// tellArrived tells of a stream, where its account had none of the same scope before.
func (r *Registry) tellArrived(ctx context.Context, sub *live.Subscription, before scopes) {
	if !slices.Contains(before, sub.Scope) {
		r.tellPresence(ctx, sub.Account, before, before.with(sub.Scope), true)
	}
}

// departed ends a stream. They are told when the account's last one there has been closed
// for a while, so that a reconnection is not taken for a departure.
func (r *Registry) departed(sub *live.Subscription) {
	sub.Close()
	if r.node != nil {
		r.node.close(sub)
		return
	}
	account, scope := sub.Account, sub.Scope
	if slices.Contains(r.hub.StreamScopes(account), scope) {
		return
	}
	time.AfterFunc(r.linger, func() { r.leave(context.Background(), account, scope) })
}

// leave notes and tells that an account is there with no stream of a scope any more, where that is so.
func (r *Registry) leave(ctx context.Context, account model.AccountID, scope model.OrganizationID) {
	r.mu.Lock()
	before := r.present[account]
	left := before.without(scope)
	// A stream that is opened from here on arrives once this is noted.
	stays := len(left) == len(before) || slices.Contains(r.hub.StreamScopes(account), scope)
	if !stays {
		if r.present[account] = left; len(left) == 0 {
			delete(r.present, account)
		}
	}
	r.mu.Unlock()
	if stays {
		return
	}
	r.tellPresence(ctx, account, left, before, false)
	r.mu.Lock()
	now := r.present[account]
	r.mu.Unlock()
	r.tellBack(ctx, account, left, now)
}

// tellBack tells that an account is there with more scopes than it has just been told to have left. Who
// told that when it came back may have been faster than who told that it left.
func (r *Registry) tellBack(ctx context.Context, account model.AccountID, left, now scopes) {
	if slices.ContainsFunc(now, func(scope model.OrganizationID) bool { return !slices.Contains(left, scope) }) {
		r.tellPresence(ctx, account, left, now, true)
	}
}

// presentTo returns who is present now of those who have each other in their rosters with
// an account, as a stream with a key of this scope would have been told.
func (r *Registry) presentTo(ctx context.Context, account model.AccountID, scope model.OrganizationID) (
	present []model.AccountID, err error) {
	var friends []store.Mutual
	open := map[model.AccountID][]model.OrganizationID{}
	err = r.store.View(ctx, func(tx *store.Tx) (err error) {
		if friends, err = tx.MutualRoster(account); err != nil || r.node == nil {
			return err
		}
		for some := range slices.Chunk(friends, nodeBatch) {
			ids := make([]model.AccountID, len(some))
			for i, friend := range some {
				ids[i] = friend.Account
			}
			of, err := presence.StreamScopes(tx, slices.Compact(ids))
			if err != nil {
				return err
			}
			maps.Copy(open, of)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if r.node == nil {
		r.mu.Lock()
		for _, friend := range friends {
			open[friend.Account] = r.present[friend.Account]
		}
		r.mu.Unlock()
	}
	reader := scopes{scope}
	for _, friend := range friends {
		if reader.cover(friend.Organization) && scopes(open[friend.Account]).cover(friend.Organization) {
			present = append(present, friend.Account)
		}
	}
	return slices.Compact(present), nil // of whom shares several organizations it is one
}

// tellPresence tells that an account has come, or gone: it is present with the streams of
// fewer scopes before, or after, and with those of more after, or before.
func (r *Registry) tellPresence(ctx context.Context, account model.AccountID, fewer, more scopes, available bool) {
	if slices.Contains(fewer, "") {
		return // it is present everywhere all the time
	}
	var friends []store.Mutual
	err := r.store.View(ctx, func(tx *store.Tx) (err error) {
		friends, err = tx.MutualRoster(account)
		return err
	})
	if err != nil {
		r.log.DebugContext(ctx, "presence is not told", "error", err)
		return
	}
	// Of a friend in several organizations, readers with keys of those where nothing changed
	// are not told, nor those without a scope where it was, or stays, in one of them.
	type hearing struct {
		within string // with blanks in between
		scoped bool
	}
	told := map[hearing][]model.AccountID{}
	for len(friends) > 0 {
		friend := friends[0].Account
		var within []string
		var h hearing
		for len(friends) > 0 && friends[0].Account == friend {
			organization := friends[0].Organization
			if fewer.cover(organization) {
				h.scoped = true
			} else if more.cover(organization) {
				within = append(within, string(organization))
			}
			friends = friends[1:]
		}
		if len(within) > 0 {
			h.within = strings.Join(within, " ")
			told[h] = append(told[h], friend)
		}
	}
	for h, accounts := range told {
		var within []model.OrganizationID
		for organization := range strings.SplitSeq(h.within, " ") {
			within = append(within, model.OrganizationID(organization))
		}
		r.hub.Signal(ctx, live.Signal{Kind: model.EventPresence, Feature: live.FeaturePresence,
			Presence: &model.Presence{Account: account, Available: available}, Within: within, Scoped: h.scoped}, accounts...)
	}
}
