package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"signet/client"
	"signet/internal/commandline"
)

type messageCommands struct {
	Show    messageShowCommand    `cmd:"" help:"Show a message." note:"For its sender and its recipients." example:"signet message show 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"`
	Status  messageStatusCommand  `cmd:"" help:"Show the status of a message for its recipients." note:"The sender sees all recipients, a recipient only itself." example:"signet message status 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"`
	Read    messageReadCommand    `cmd:"" help:"Mark messages as read." note:"The senders are told. Messages that were not sent to the caller are ignored." example:"signet message read 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"`
	Confirm messageConfirmCommand `cmd:"" help:"Confirm messages: say that you take them on." note:"The senders are told, and escalations of the messages end." example:"signet message confirm 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"`
	Save    messageSaveCommand    `cmd:"" help:"Save a message's attachment to a file." note:"It prints the name of the file." example:"signet message save 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60 -o scan.png"`
	Forward messageForwardCommand `cmd:"" help:"Forward a message to somebody else." note:"It prints the new message's id." example:"signet message forward 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60 carol@example.com"`
	Recall  messageRecallCommand  `cmd:"" help:"Take a sent message back, for everybody." note:"Its text and attachment are erased at once. Recalling again succeeds." example:"signet message recall 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"`
}

// oneMessage names a message.
type oneMessage struct {
	access
	Message string `arg:"" help:"Id of the message."`
}

type messageShowCommand struct{ oneMessage }

func (m *messageShowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	message, err := c.Message(ctx, m.Message)
	return show(con, message, err, messageLines)
}

func messageLines(m *client.Message) []string {
	lines := []string{
		cells("message", m.MessageID), cells("from", m.SenderToken), cells("to", m.RecipientToken),
		cells("sent", moment(m.CreatedTime)), cells("expires", moment(m.ExpiresTime)), cells("status", string(m.Status)),
	}
	if m.Priority != client.PriorityNormal {
		lines = append(lines, cells("priority", strconv.Itoa(m.Priority)))
	}
	if m.DOR {
		lines = append(lines, cells("delete on read", yes(m.DOR)))
	}
	if m.IsForwarded {
		lines = append(lines, cells("first from", m.OriginalSender), cells("first sent", moment(m.OriginalTimestamp)))
	}
	if e := m.Escalation; e != nil {
		lines = append(lines, cells("escalates", e.MessageID, "step "+strconv.Itoa(e.Step)))
	}
	for _, account := range m.ConfirmedBy {
		lines = append(lines, cells("confirmed by", account))
	}
	if m.ReplyTo != "" {
		lines = append(lines, cells("answers", m.ReplyTo))
	}
	for _, a := range m.Attachments {
		lines = append(lines, cells("attachment",
			fmt.Sprintf("%s (%s, %s)", a.Name, a.ContentType, count(int(a.Size), "byte", "bytes"))))
	}
	for _, d := range m.Data {
		lines = append(lines, cells("data",
			fmt.Sprintf("%s %s (%s)", d.Namespace, d.MimeType, count(len(d.Payload), "byte", "bytes"))))
	}
	if m.IsRecalled {
		return append(lines, cells("recalled", yes(true)))
	}
	return append(lines, cells("body", m.Body))
}

type messageStatusCommand struct{ oneMessage }

func (m *messageStatusCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	status, err := c.MessageStatus(ctx, m.Message)
	return show(con, status, err, func(status *client.MessageStatus) (lines []string) {
		if status.IsRecalled {
			lines = append(lines, "recalled")
		}
		for _, row := range status.Statuses {
			lines = append(lines, cells(row.AccountID, string(row.Status), moment(row.Timestamp)))
		}
		return lines
	})
}

type messageReadCommand struct {
	access
	Messages []string `arg:"" name:"message" help:"Ids of the messages."`
}

func (m *messageReadCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.MarkRead(ctx, m.Messages...)
}

type messageConfirmCommand struct {
	access
	Messages []string `arg:"" name:"message" help:"Ids of the messages."`
}

func (m *messageConfirmCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.Confirm(ctx, m.Messages...)
}

type messageSaveCommand struct {
	oneMessage
	Output string `short:"o" placeholder:"FILE" help:"File to write; - is standard output. Without it, the attachment's own name in the current directory. An existing file is not overwritten."`
}

func (m *messageSaveCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	download, err := c.OpenAttachment(ctx, m.Message)
	if err != nil {
		return err
	}
	defer download.Close()
	if m.Output == "-" {
		_, err := io.Copy(con.stdout, download)
		return err
	}
	name := m.Output
	if name == "" {
		name = ownName(download.Name)
	}
	size, err := saveNew(name, download)
	saved := map[string]any{"file": name, "content_type": download.ContentType, "size": size}
	return show(con, saved, err, func(map[string]any) []string { return []string{commandline.Plain(name)} })
}

// ownName is the file's name as its sender gave it, without a directory: it
// comes from another person.
func ownName(name string) string {
	name = commandline.Plain(filepath.Base(filepath.Clean("/" + name)))
	if name == "/" || name == "." || name == "" {
		return "attachment"
	}
	return name
}

// saveNew writes a file that must not exist yet, and leaves none behind when it
// cannot be written whole.
func saveNew(name string, content io.Reader) (size int64, err error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	size, err = io.Copy(file, content)
	if err = errors.Join(err, file.Close()); err != nil {
		return 0, errors.Join(err, os.Remove(name))
	}
	return size, nil
}

type messageForwardCommand struct {
	oneMessage
	within
	Recipient string `arg:"" help:"User, by token, e-mail, phone or username, or group, by token."`
	RequestID string `name:"request-id" placeholder:"ID" help:"Makes a repeat harmless, as with \"signet send\"."`
}

func (m *messageForwardCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	sent, err := c.Forward(ctx, m.Message,
		client.Forwarding{Recipient: m.Recipient, Organization: m.Org, RequestID: m.RequestID})
	return show(con, sent, err, sentLines)
}

type messageRecallCommand struct {
	oneMessage
	Organization string `placeholder:"TOKEN" help:"Take back a message of this organization that somebody else sent, as its administrator."`
	Reason       string `placeholder:"TEXT" help:"Why, for the audit log of the organization: up to 200 characters."`
}

func (m *messageRecallCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	if m.Organization != "" {
		return c.RecallFor(ctx, m.Organization, m.Message, m.Reason)
	}
	return c.Recall(ctx, m.Message)
}
