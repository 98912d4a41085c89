package service

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"slices"
	"time"

	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/store"
)

// SendCommand is a message as its sender asks for it. What is nil or empty was
// left out.
type SendCommand struct {
	Recipient             string // an address
	SenderOrganization    model.OrganizationID
	RecipientOrganization model.OrganizationID
	CallOrganization      model.OrganizationID // the organization header
	Body                  string
	Data                  []model.DataItem
	Upload                *Upload
	TTL                   *int
	DOR                   *bool
	Priority              *int
	RequestID             string
}

// Sent is what became of a send.
type Sent struct {
	Message  model.MessageID
	TTL      int            // minutes, the one in force
	Repeated bool           // the Request-ID was used before: this is the first message
	Row      *model.Message // as the sender sees it; nil for a repeated one that is gone
}

// Send puts a message, its statuses, its events, the counters and the rosters on
// disk, together or not at all, and wakes the recipients (contract, 5.1).
func (s *Service) Send(ctx context.Context, actor *model.Actor, c SendCommand) (Sent, error) {
	if c.Recipient == "" {
		return Sent{}, model.Invalidf("recipient_required", "recipient", "A recipient is required.")
	}
	if c.Body == "" && len(c.Data) == 0 && c.Upload == nil {
		return Sent{}, model.Invalidf("content_required", "body", "One of body, attachment and data is required.")
	}
	if s.limits.MessageBytes > 0 && len(c.Body) > s.limits.MessageBytes {
		return Sent{}, model.Invalidf("body_too_long", "body", "The body is longer than %d bytes.", s.limits.MessageBytes)
	}
	content := model.Content{Body: c.Body, Data: c.Data}
	fingerprint := sha256.New()
	writeParts(fingerprint, c.Body)
	for _, item := range c.Data {
		writeParts(fingerprint, item.MimeType, item.Namespace, item.Payload)
	}
	if c.Upload != nil {
		content.Attachment = &c.Upload.Attachment
		writeParts(fingerprint, c.Upload.Name, c.Upload.ContentType, string(c.Upload.Digest))
	}
	sent, err := s.post(ctx, actor, &posting{
		recipient: c.Recipient, sender: c.SenderOrganization, receiver: c.RecipientOrganization, call: c.CallOrganization,
		content: content, ttl: c.TTL, dor: c.DOR, priority: c.Priority, request: c.RequestID, fingerprint: fingerprint.Sum(nil),
	})
	c.Upload.doubt(err)
	return sent, err
}

// writeParts feeds texts to a hash so that where one ends makes a difference.
func writeParts(h hash.Hash, parts ...string) {
	for _, part := range parts {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write([]byte(part))
	}
}

// posting is a message on its way into the store, new or forwarded.
type posting struct {
	recipient              string
	sender, receiver, call model.OrganizationID
	content                model.Content
	ttl                    *int
	dor                    *bool
	priority               *int
	request                string
	fingerprint            []byte
	original               *model.Original
	source                 *store.MessageRow // of a forward

	// Found on the way.
	entity       model.EntityID
	group        *model.Group
	theirs       []model.OrganizationID // the recipient's, one to one, the oldest membership first
	organization model.Organization
	row          store.MessageRow
	day          int64
	repeated     *store.Request // what was sent under the Request-ID, this or another

	sealedFingerprint []byte

	// Found in the transaction.
	readers []model.AccountID
	shut    bool // the group is gone, or the sender out of it
}

// validate refuses what is wrong whoever it is sent to.
func (p *posting) validate() error {
	if p.request != "" && !ValidRequestID(p.request) {
		return model.Invalidf("request_id_invalid", "Request-ID", "A Request-ID is 1 to 128 visible ASCII characters.")
	}
	if p.recipient == "" {
		return model.Invalidf("recipient_required", "recipient", "A recipient is required.")
	}
	if p.sender != "" && p.receiver != "" && p.sender != p.receiver {
		return model.Invalidf("organization_mismatch", "recipient_organization", "The sender's and the recipient's organization are not the same.")
	}
	if p.priority != nil && (*p.priority < -1 || *p.priority > 1) {
		return model.Invalidf("priority_invalid", "priority", "The priority is -1, 0 or 1.")
	}
	if p.ttl != nil && !model.ValidTTL(*p.ttl) {
		return model.Invalidf("ttl_invalid", "ttl", "The ttl is -1 (never) or 1 to %d minutes.", model.MaxTTL)
	}
	return nil
}

// post carries a posting through: who may and to whom is read first, then the
// content is put into its stored form, then all is written in one transaction,
// which asks once more what may have changed meanwhile.
func (s *Service) post(ctx context.Context, actor *model.Actor, p *posting) (Sent, error) {
	if err := p.validate(); err != nil {
		return Sent{}, err
	}
	if !s.room.ForNew() {
		return Sent{}, noRoom()
	}
	now := s.now()
	p.day = now.Unix() / 86400
	if s.routeFromMemory(actor, p, now) {
		sent, err := s.postRouted(ctx, actor, p, now)
		var refused *model.Error
		if !errors.As(err, &refused) {
			return sent, err
		}
		p.group, p.repeated = nil, nil // it may be refused for what is no longer so
	}
	if err := s.store.View(ctx, func(tx *store.Tx) error { return s.routeFromStore(tx, actor, p, now) }, store.Short); err != nil {
		return Sent{}, err
	}
	return s.postRouted(ctx, actor, p, now)
}

// postRouted is post once the recipient and the organization are known.
func (s *Service) postRouted(ctx context.Context, actor *model.Actor, p *posting, now time.Time) (Sent, error) {
	if p.repeated != nil {
		return s.repeat(ctx, actor, p)
	}
	if err := p.prepare(actor, now); err != nil {
		return Sent{}, err
	}
	var readers []model.AccountID
	known := s.messages.reading()
	var traits []store.Trait
	if p.group == nil && p.source == nil { // these lock more, or for longer
		traits = []store.Trait{store.Short}
	}
	err := s.vault.Update(ctx, func(leases *content.Leases) error {
		return s.seal(ctx, p, leases, now)
	}, func(tx *store.Tx) (err error) {
		p.repeated = nil
		readers, err = s.write(tx, actor, p, now)
		return err
	}, traits...)
	if errors.Is(err, store.ErrConflict) && p.request != "" {
		// Another node wrote under the same Request-ID in the meantime.
		err = s.store.View(ctx, func(tx *store.Tx) error { return p.findRepeated(tx, actor, now) })
	}
	if err != nil {
		s.room.Struck(err, false)
		return Sent{}, err
	}
	if p.repeated != nil {
		return s.repeat(ctx, actor, p)
	}
	s.counts.Sent.add(p.row.Group, 1)
	s.counts.Copies.add(p.row.Group, len(readers))
	known.sent(&p.row, p.content)
	s.hub.Wake(readers...)
	m := p.row.Message
	m.Content = p.content
	s.signalSelfCopy(actor.Account, m)
	return Sent{Message: p.row.ID, TTL: p.row.TTL, Row: &m}, nil
}

// seal puts the content into its stored form, and what tells a repeated request from
// another one.
func (s *Service) seal(ctx context.Context, p *posting, leases *content.Leases, now time.Time) (err error) {
	if p.row.Sealed, err = s.vault.SealMessage(ctx, leases, &p.row, &p.content); err != nil || p.request == "" {
		return err
	}
	p.sealedFingerprint, err = s.vault.SealFingerprint(ctx, leases, p.row.Sender, p.request, now, p.requestFingerprint())
	return err
}

// route finds the recipient and the organization of a message, and whether the
// actor may send it there.
func (s *Service) route(tx *store.Tx, actor *model.Actor, p *posting, now time.Time) error {
	entity, group, found, err := s.resolve(tx, actor, p.recipient, true)
	if err != nil {
		return err
	}
	p.entity = entity
	// A repeat is one even where its recipient, a group, has gone since.
	if err := p.findRepeated(tx, actor, now); err != nil || p.repeated != nil {
		return err
	}
	if limit := s.messagesPerDay(actor); limit > 0 {
		if err := withinDailyLimit(tx, actor, limit, p.day, now); err != nil {
			return err
		}
	}
	if !found {
		return model.Missing()
	}
	if group {
		err = p.routeToGroup(tx, actor)
	} else {
		err = p.routeToAccount(tx, actor)
	}
	if err != nil {
		return err
	}
	organization, found, err := tx.Organization(p.organization.ID)
	if err == nil && !found {
		err = model.Missing()
	}
	p.organization = organization
	return err
}

// withinDailyLimit refuses who has sent enough today, before anything is written.
func withinDailyLimit(tx *store.Tx, actor *model.Actor, limit int, day int64, now time.Time) error {
	sent, err := tx.MessagesSent(actor.Key.Counter, day)
	if err == nil && sent >= limit {
		err = dailyLimit(limit, now)
	}
	return err
}

// routeToGroup: the organization is the group's, whatever the header names, and the
// sender is a member.
func (p *posting) routeToGroup(tx *store.Tx, actor *model.Actor) error {
	g, found, err := tx.Group(model.GroupID(p.entity))
	if err != nil {
		return err
	}
	if !found || g.Deleted {
		return model.Missing()
	}
	rights, err := rightsInGroup(tx, actor, &g)
	if err != nil {
		return err
	}
	if !rights.member {
		return model.Missing()
	}
	if named := firstOf(p.sender, p.receiver); named != "" && named != g.Organization {
		return model.Invalidf("organization_mismatch", "recipient_organization", "The group belongs to another organization.")
	}
	p.group, p.organization.ID = &g, g.Organization
	return nil
}

// routeToAccount chooses among the recipient's organizations.
func (p *posting) routeToAccount(tx *store.Tx, actor *model.Actor) (err error) {
	if p.theirs, err = tx.OrganizationsOf(model.AccountID(p.entity)); err != nil {
		return err
	}
	return p.chooseOrganization(actor)
}

func firstOf(organizations ...model.OrganizationID) model.OrganizationID {
	for _, o := range organizations {
		if o != "" {
			return o
		}
	}
	return ""
}

// prepare applies the organization's rules and makes the row: identifier and times,
// everything that must be the same however often the write is tried.
func (p *posting) prepare(actor *model.Actor, now time.Time) error {
	settings := &p.organization.Settings
	ttl, err := settings.Lifetime(p.ttl)
	if err != nil {
		return err
	}
	priority := 0
	if p.priority != nil {
		priority = *p.priority
	}
	if priority > 0 && !model.Allows(settings.PriorityMessaging) {
		return model.Invalidf("priority_messaging_off", "priority", "The organization has priority messaging turned off.")
	}
	if p.content.Attachment != nil && !model.Allows(settings.Attachments) {
		return model.Invalidf("attachments_off", "attachment", "The organization has attachments turned off.")
	}
	dor := p.dor != nil && *p.dor || p.dor == nil && settings.DOR != nil && *settings.DOR
	p.row = store.MessageRow{Message: model.Message{
		ID: newID(), Organization: p.organization.ID, Sender: actor.Account, Recipient: p.entity, Group: p.group != nil,
		Created: now, TTL: ttl, DOR: dor, Priority: priority, Forwarded: p.original,
	}}
	if ttl != model.NoTTL {
		p.row.Expires = now.Add(time.Duration(ttl) * time.Minute)
	}
	p.row.Ends = p.row.Expires
	if p.group != nil {
		p.row.Replay = p.group.ReplayHistory
	}
	if p.content.Attachment != nil {
		p.row.Blob = p.content.Attachment.Blob
	}
	return nil
}

// write puts everything that a message changes into one transaction, and returns
// whose queues it changed. It refuses before it writes, where it can: the transaction
// may be shared with other sends (store.Short), and who fails in it after writing has
// all of them undone and run again.
func (s *Service) write(tx *store.Tx, actor *model.Actor, p *posting, now time.Time) ([]model.AccountID, error) {
	row := &p.row
	if err := p.hold(tx, actor); err != nil {
		return nil, err
	}
	readers := p.readers
	var err error
	// The position comes before the questions: nobody else sends for the actor, or
	// takes sender or recipient out of the organization, once it is handed out.
	if row.Sort, err = tx.Position(1, append(slices.Clip(readers), actor.Account)...); err != nil {
		return nil, err
	}
	if err := p.findRepeated(tx, actor, now); err != nil || p.repeated != nil {
		return nil, err
	}
	if err := p.stillAllowed(tx, actor); err != nil {
		return nil, err
	}
	if p.source != nil {
		// What was read of the source may have been recalled or read and gone since.
		current, _, err := visible(tx, actor, p.source.ID, now)
		if err == nil && current.Recalled {
			err = model.Missing()
		}
		if err != nil {
			return nil, err
		}
	}
	if limit := s.messagesPerDay(actor); limit > 0 {
		if err := withinDailyLimit(tx, actor, limit, p.day, now); err != nil {
			return nil, err
		}
		sent, err := tx.CountMessage(actor.Key.Counter, p.day)
		if err != nil {
			return nil, err
		}
		if sent > limit { // others counted in the meantime
			return nil, dailyLimit(limit, now)
		}
	}
	if p.request != "" {
		request := store.Request{Account: actor.Account, ID: p.request, Fingerprint: p.sealedFingerprint,
			Organization: row.Organization, Message: row.ID, TTL: row.TTL, Created: now}
		if err := tx.PutRequest(&request, now.Add(-model.RepeatWindow)); err != nil {
			return nil, err
		}
	}
	if err := tx.InsertMessage(row); err != nil {
		return nil, err
	}
	if err := tx.ReferToBlob(row.Blob); err != nil {
		return nil, err
	}
	tx.Describe(p)
	if row.Group {
		return readers, deliverToGroup(tx, row)
	}
	if err := tx.NoteSent(row); err != nil {
		return nil, err
	}
	return readers, deliverToAccount(tx, row, model.AccountID(row.Recipient))
}

func deliverToAccount(tx *store.Tx, row *store.MessageRow, account model.AccountID) error {
	if err := tx.InsertDelivery(row, account, row.Sort, false); err != nil {
		return err
	}
	if err := tx.InsertEvent(account, row.Sort, row.Organization, model.EventMessage, row.ID, nil); err != nil {
		return err
	}
	return tx.NoteReceived(row, account)
}

func deliverToGroup(tx *store.Tx, row *store.MessageRow) error {
	if err := tx.InsertGroupDeliveries(row); err != nil {
		return err
	}
	if err := tx.InsertGroupEvents(row); err != nil {
		return err
	}
	return tx.NoteSentToGroup(row)
}

// hold keeps what the message depends on as it is: the group with its members, and
// the source of a forward. It finds the readers, and whether the group takes a
// message of the actor's.
func (p *posting) hold(tx *store.Tx, actor *model.Actor) error {
	p.readers, p.shut = nil, false
	if p.source != nil {
		if err := tx.LockMessages(actor.Organizations(), p.source.ID); err != nil {
			return err
		}
	}
	if p.group == nil {
		p.readers = []model.AccountID{model.AccountID(p.entity)}
		return nil
	}
	if err := tx.LockGroups(p.group.ID); err != nil {
		return err
	}
	g, found, err := tx.Group(p.group.ID)
	if err != nil {
		return err
	}
	readers, member, err := tx.GroupReaders(p.group.ID, actor.Account)
	if err != nil {
		return err
	}
	p.readers = readers
	p.shut = !found || g.Deleted || !member
	return nil
}

// stillAllowed asks inside the transaction whether sender and recipient still
// belong where they did.
func (p *posting) stillAllowed(tx *store.Tx, actor *model.Actor) error {
	if p.group != nil {
		if p.shut {
			return model.Missing()
		}
		return nil
	}
	both, err := tx.AreMembers(p.organization.ID, actor.Account, model.AccountID(p.entity))
	if err == nil && !both {
		err = model.Missing()
	}
	return err
}

// messagesPerDay is the actor's daily allowance; 0 is no limit.
func (s *Service) messagesPerDay(actor *model.Actor) int {
	if actor.Key.MessagesPerDay != nil {
		return *actor.Key.MessagesPerDay
	}
	return s.limits.MessagesPerDay
}

func dailyLimit(limit int, now time.Time) *model.Error {
	midnight := now.Truncate(24 * time.Hour).Add(24 * time.Hour)
	e := &model.Error{Kind: model.TooMany, Code: "daily_limit", RetryAfter: midnight.Sub(now)}
	e.Message = "The messages of this day are used up; ask the operator for a higher allowance."
	return e
}

// signalSelfCopy shows a message to the sender's own streams that ask for it. It
// is live only. One to itself they get from the queue.
func (s *Service) signalSelfCopy(sender model.AccountID, m model.Message) {
	if m.Recipient == model.EntityID(sender) {
		return
	}
	event := model.Event{Kind: model.EventMessage, Message: &m}
	if m.Group {
		event.Kind = model.EventGroupMessage
	}
	s.signal("self-copies", event, sender)
}
