package api

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"signet/internal/api/input"
	"signet/internal/api/wire"
	"signet/internal/model"
	"signet/internal/service"
)

// messageID reads the message that a path names. What is no token names nothing.
func (c *call) messageID() (model.MessageID, error) {
	id, ok := model.ParseMessageID(c.path("message"))
	if !ok {
		return id, model.Missing()
	}
	return id, nil
}

// organizationField reads a field that names an organization.
func organizationField(f *input.Fields, name string) model.OrganizationID {
	return model.OrganizationID(f.Text(name))
}

// wantsMessage reports whether the caller wants the message in the answer.
func (c *call) wantsMessage() bool {
	q := c.readQuery()
	format := q.Text("response_format")
	if format != "" && format != "message" {
		q.Wrong("response_format", "`message`, or left out")
	}
	return format == "message"
}

// sendMessage: POST /message (call 11).
func (a *API) sendMessage(ctx context.Context, c *call) (answer, error) {
	f := &c.body.Fields
	command := service.SendCommand{
		Recipient:             f.Text("recipient"),
		SenderOrganization:    organizationField(f, "sender_organization"),
		RecipientOrganization: organizationField(f, "recipient_organization"),
		CallOrganization:      c.organization(),
		Body:                  f.Text("body"),
		Data:                  dataItems(f),
		TTL:                   f.OptionalInt("ttl"),
		DOR:                   f.OptionalBool("dor"),
		Priority:              f.OptionalInt("priority"),
		ReplyTo:               f.Text("reply_to"),
		Escalate:              escalateField(f),
	}
	command.Upload, _ = c.body.File("attachment")
	command.Refused = c.body.Refused
	withMessage := c.wantsMessage()
	var err error
	if command.RequestID, err = c.requestID(); err != nil {
		return answer{}, err
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	if command.Escalate != nil {
		a.charge(c, costOfSteps(command.Escalate.Steps))
	}
	sent, err := a.service.Send(ctx, c.actor, command)
	return a.sent(ctx, c, sent, withMessage, err)
}

// forwardMessage: POST /message/:message/forward.
func (a *API) forwardMessage(ctx context.Context, c *call) (answer, error) {
	f := &c.body.Fields
	command := service.ForwardCommand{
		Recipient:             f.Text("recipient"),
		SenderOrganization:    organizationField(f, "sender_organization"),
		RecipientOrganization: organizationField(f, "recipient_organization"),
		CallOrganization:      c.organization(),
		Priority:              f.OptionalInt("priority"),
	}
	withMessage := c.wantsMessage()
	var err error
	if command.RequestID, err = c.requestID(); err != nil {
		return answer{}, err
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	// What is no token is no message's: found missing after the body was checked.
	command.Message, _ = model.ParseMessageID(c.path("message"))
	sent, err := a.service.Forward(ctx, c.actor, command)
	return a.sent(ctx, c, sent, withMessage, err)
}

// sent answers a send: 204, or 200 with the message where it is wanted; 304 for
// a repeated Request-ID (contract, 5.1).
func (a *API) sent(ctx context.Context, c *call, sent service.Sent, withMessage bool, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	if sent.Repeated {
		c.body.Discard(ctx) // the first request's are the ones that were sent
	}
	headers := []header{{a.vendor.messageID, sent.Message.String()}, {a.vendor.messageTTL, strconv.Itoa(sent.TTL)}}
	switch {
	case withMessage && sent.Row != nil:
		return reply(c.MessageText(sent.Row), headers...), nil
	case withMessage:
		return answer{}, model.Missing()
	case sent.Repeated:
		return notModified(headers...), nil
	default:
		return noContent(headers...), nil
	}
}

// getMessage: GET /message/:message (call 12).
func (a *API) getMessage(ctx context.Context, c *call) (answer, error) {
	id, err := c.messageID()
	if err != nil {
		return answer{}, err
	}
	m, err := a.service.Message(ctx, c.actor, id)
	if err != nil {
		return answer{}, err
	}
	return reply(c.MessageText(&m)), nil
}

// recallMessage: DELETE /message/:message (call 13).
func (a *API) recallMessage(ctx context.Context, c *call) (answer, error) {
	id, err := c.messageID()
	if err != nil {
		return answer{}, err
	}
	return noContent(), a.service.Recall(ctx, c.actor, id)
}

// recallMessageFor: DELETE /organization/:organization/message/:message.
func (a *API) recallMessageFor(ctx context.Context, c *call) (answer, error) {
	reason := c.body.Text("reason")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	// What is no token is no message's: found missing after the body was checked.
	id, _ := model.ParseMessageID(c.path("message"))
	return noContent(), a.service.RecallFor(ctx, c.actor, c.organizationPath(), id, reason)
}

// getMessageStatus: GET /message/:message/status (call 15).
func (a *API) getMessageStatus(ctx context.Context, c *call) (answer, error) {
	id, err := c.messageID()
	if err != nil {
		return answer{}, err
	}
	status, err := a.service.MessageStatus(ctx, c.actor, id)
	if err != nil {
		return answer{}, err
	}
	rows := status.Rows
	status.Rows = nil
	begin, err := json.Marshal(wire.ShownStatus(status))
	if err != nil {
		return answer{}, err
	}
	const end = "]}" // of the statuses, which come last
	return replyEach(ctx, a, c, strings.TrimSuffix(string(begin), end), end, rows,
		func(row model.StatusRow) any { return wire.ShownStatusRow(row) })
}

// setMessageStatus: POST and PUT /message/status (call 16).
func (a *API) setMessageStatus(ctx context.Context, c *call) (answer, error) {
	delivered, read, confirmed := c.body.List("delivered"), c.body.List("read"), c.body.List("confirmed")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	if delivered == nil && read == nil && confirmed == nil {
		return answer{}, model.Invalidf("status_required", "delivered",
			"One of delivered, read and confirmed is required.")
	}
	a.charge(c, costOfIDs(len(delivered)+len(read)+len(confirmed)))
	return noContent(), a.service.MarkStatus(ctx, c.actor, service.Marks{Delivered: messageIDs(delivered),
		Read: messageIDs(read), Confirmed: messageIDs(confirmed)})
}

// messageIDs reads ids. A text that is no token becomes the zero id, which no message has,
// and still counts towards the limit.
func messageIDs(texts []string) []model.MessageID {
	out := make([]model.MessageID, len(texts))
	for i, text := range texts {
		out[i], _ = model.ParseMessageID(text)
	}
	return out
}

// getMessageStatuses: POST /get_bulk_message_status.
func (a *API) getMessageStatuses(ctx context.Context, c *call) (answer, error) {
	ids := c.body.List("messages")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	if ids == nil {
		return answer{}, model.Invalidf("messages_required", "messages", "Messages are required.")
	}
	a.charge(c, costOfIDs(len(ids)))
	messages := messageIDs(ids)
	if len(messages) > service.StatusLimit {
		_, err := a.service.MessageStatuses(ctx, c.actor, messages)
		return answer{}, err
	}
	l := a.list(ctx, c, `{"bulk_message_statuses":[`)
	return a.endList(c, l, "]}", l.Chunked(len(messages), func(from, to int) error {
		found, err := a.service.MessageStatuses(ctx, c.actor, messages[from:to])
		for i := 0; i < len(found) && err == nil; i++ {
			err = l.Add(wire.ShownStatus(found[i]))
		}
		return err
	}))
}

// startTyping: POST /message/typing (call 17).
func (a *API) startTyping(ctx context.Context, c *call) (answer, error) {
	recipient := c.body.Text("recipient")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.service.Typing(ctx, c.actor, recipient, true)
}

// stopTyping: DELETE /message/typing/:recipient (call 18).
func (a *API) stopTyping(ctx context.Context, c *call) (answer, error) {
	return noContent(), a.service.Typing(ctx, c.actor, c.path("recipient"), false)
}

// dataItems reads the field `data`: a list of objects of three texts, or one of them.
// In a form the field may be repeated.
func dataItems(f *input.Fields) (items []model.DataItem) {
	const want = "a list of objects with the texts mimetype, namespace and payload"
	for _, raw := range f.Raws("data") {
		if strings.HasPrefix(strings.TrimSpace(string(raw)), "{") {
			var one model.DataItem
			if json.Unmarshal(raw, &one) != nil {
				f.Wrong("data", want)
			}
			items = append(items, one)
			continue
		}
		var several []*model.DataItem
		if json.Unmarshal(raw, &several) != nil || slices.Contains(several, nil) {
			f.Wrong("data", want)
			return nil
		}
		for _, one := range several {
			items = append(items, *one)
		}
	}
	return items
}
