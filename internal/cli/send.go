package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"signet/client"
)

type sendCommand struct {
	access
	within
	Recipient  string    `arg:"" help:"User, by token, e-mail, phone or username, or group, by token."`
	Body       string    `arg:"" optional:"" help:"Text of the message; - reads it from standard input."`
	Attach     string    `placeholder:"FILE" help:"File to attach; - reads it from standard input."`
	AttachName string    `placeholder:"NAME" help:"Name of the attached file as the recipient sees it."`
	TTL        *lifetime `name:"ttl" placeholder:"TIME" help:"How long it is kept: minutes, a time such as 8h or 7d, or never. Without it, the organization's usual time."`
	DOR        *bool     `name:"dor" negatable:"" help:"Delete it when it is read."`
	Priority   string    `enum:"low,normal,high" default:"normal" help:"Priority: low, normal (default) or high."`
	ReplyTo    string    `name:"reply-to" placeholder:"MESSAGE" help:"Id of the message of the same conversation that it answers."`
	Escalate   []string  `sep:"none" placeholder:"STEP" help:"Send it on while nobody has read it: a time from now, a colon, and to whom, such as 10m:bob,carol; may be repeated. Or the name of an escalation policy of the organization."`
	Until      string    `enum:",read,confirmed" default:"" placeholder:"STATUS" help:"With --escalate: what ends that, read or confirmed. Without it, as the policy says, else read."`
	RequestID  string    `name:"request-id" placeholder:"ID" help:"Makes a repeat harmless: within 24 hours an ID sends only one message."`
}

func (sendCommand) Help() string {
	return `It prints the message's id. When it does, the message is on the server's disk.

Examples:

  signet send bob@example.com "Bed 12 is free." --ttl 8h

  uptime | signet send +4915112345678 - --priority high

  signet send bob@example.com --attach scan.png --dor

  signet send bob "Lift 2 stands still." --escalate 5m:carol --escalate 15m:dave,erin --until confirmed

  signet send bob "Lift 2 stands still." --escalate night`
}

func (s *sendCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	if s.Body == "-" && s.Attach == "-" {
		return wrongConfiguration{fmt.Errorf("the text and the attachment cannot both come from standard input")}
	}
	body := s.Body
	if body == "-" {
		var err error
		if body, err = con.readText("-"); err != nil {
			return err
		}
	}
	file, closeFile, err := con.upload(s.Attach, s.AttachName)
	if err != nil {
		return err
	}
	defer closeFile()
	message := client.Outgoing{
		Recipient: s.Recipient, Body: body, Attachment: file, DOR: s.DOR, Organization: s.Org, RequestID: s.RequestID,
		ReplyTo:  s.ReplyTo,
		Priority: map[string]int{"low": client.PriorityLow, "high": client.PriorityHigh}[s.Priority],
	}
	if s.TTL != nil {
		message.TTL = int(*s.TTL)
	}
	message.EscalateUntil = s.Until
	if err := escalateAs(&message, s.Escalate); err != nil {
		return err
	}
	sent, err := c.Send(ctx, message)
	return show(con, sent, err, sentLines)
}

func sentLines(sent *client.Sent) []string { return []string{sent.MessageID} }

// upload opens a file to send, or standard input where the name is "-". No name
// is no file. The caller calls the function that comes with it.
func (c *console) upload(name, as string) (*client.Upload, func(), error) {
	switch name {
	case "":
		return nil, func() {}, nil
	case "-":
		return &client.Upload{Name: as, Content: c.stdin}, func() {}, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	// it was only read
	return &client.Upload{Name: cmp.Or(as, filepath.Base(name)), Content: file}, func() { _ = file.Close() }, nil
}
