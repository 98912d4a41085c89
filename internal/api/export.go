package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"

	"signet/internal/api/output"
	"signet/internal/api/wire"
	"signet/internal/export"
	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store/rota"
)

// wireExportedAccount is account.json of an archive.
type wireExportedAccount struct {
	Account       wire.User                `json:"account"`
	Operator      bool                     `json:"operator"`
	Organizations []wireExportedMembership `json:"organizations"`
	Requests      []wireExportedProposal   `json:"requests"`
}

// wireExportedMembership is the account in an organization.
type wireExportedMembership struct {
	OrganizationID model.OrganizationID  `json:"organization_id"`
	Name           string                `json:"name"`
	Title          string                `json:"title"`
	Department     string                `json:"department"`
	Roles          []string              `json:"roles"`
	PendingRoles   []string              `json:"pending_roles"`
	JoinedTime     wire.Time             `json:"joined_time"`
	Metadata       map[string]string     `json:"metadata,omitzero"`
	Directory      *wireExportedName     `json:"directory,omitzero"` // missing where no directory keeps the account
	Subjects       []wireExportedSubject `json:"subjects"`
}

// wireExportedName is what the directory of an organization calls an account that it keeps by SCIM.
type wireExportedName struct {
	UserName   string `json:"user_name"`
	ExternalID string `json:"external_id"`
}

// wireExportedSubject is the person whom the provider of an organization knows as the account.
type wireExportedSubject struct {
	Issuer     string    `json:"issuer"`
	Subject    string    `json:"subject"`
	LinkedTime wire.Time `json:"linked_time"` // when it last came by it
}

// wireExportedProposal is a membership to which the account, or the organization that
// created it, has still to agree.
type wireExportedProposal struct {
	OrganizationID model.OrganizationID `json:"organization_id"`
	Title          string               `json:"title"`
	Department     string               `json:"department"`
	CreatedTime    wire.Time            `json:"created_time"`
}

// wireExportedConversation is an entry of conversations.json.
type wireExportedConversation struct {
	Entity         any                  `json:"entity"`
	OrganizationID model.OrganizationID `json:"organization_id"`
	Unread         int                  `json:"unread_count"`
	UnreadPriority int                  `json:"unread_priority_count"`
	Muted          bool                 `json:"muted"`
	Listed         bool                 `json:"listed"` // in the roster
}

// wireManifest is manifest.json, which comes last.
type wireManifest struct {
	AccountID      model.AccountID        `json:"account_id"`
	AskedBy        model.AccountID        `json:"asked_by"`
	MadeTime       wire.Time              `json:"made_time"`
	ServerVersion  string                 `json:"server_version"`
	Format         int                    `json:"format"`
	Content        bool                   `json:"content"` // what people wrote is in it
	Organizations  []model.OrganizationID `json:"organizations"`
	Files          []wireArchiveFile      `json:"files"`
	Attachments    int                    `json:"attachments"`
	AttachmentLost wireLost               `json:"attachments_lost"`
}

// wireArchiveFile is a file of data in an archive.
type wireArchiveFile struct {
	Name    string `json:"name"`
	Entries int    `json:"entries"`
}

func archiveFiles(files []output.ArchiveFile) []wireArchiveFile {
	out := make([]wireArchiveFile, len(files))
	for i, file := range files {
		out[i] = wireArchiveFile(file)
	}
	return out
}

type wireLost struct {
	Missing int `json:"missing"`
	Damaged int `json:"damaged"`
}

// exportFormat grows where a program that reads archives has to know.
const exportFormat = 1

// exportUser: GET /user/:user/export.
func (a *API) exportUser(ctx context.Context, c *call) (answer, error) {
	archived, err := a.exporter.Begin(ctx, c.actor, c.path("user"))
	if err != nil {
		return answer{}, err
	}
	defer archived.Close()
	a.charge(c, costOfExport)
	h := c.writer.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", output.Disposition("attachment", fmt.Sprintf("export-%s-%s.zip", archived.Account,
		c.started.UTC().Format("20060102"))))
	if c.head() {
		c.writer.WriteHeader(http.StatusOK)
		return streamed(), nil
	}
	err = a.writeExport(ctx, c, archived)
	left := ctx.Err() != nil || c.writer.Failed
	archived.Written(c.writer.Bytes, err, left)
	if err != nil && !left {
		// The client sees a broken connection, and the log is the one place that says why,
		// even of what a caller may be told.
		err = fmt.Errorf("the archive of account %s broke off: %v", archived.Account, err)
	}
	return streamed(), err
}

// writeExport writes an archive. Without an error it is whole.
func (a *API) writeExport(ctx context.Context, c *call, from *export.Archive) error {
	out := output.NewArchive(&c.writer, c.started.UTC(), a.clock)
	if err := out.Text("README.txt", exportReadme(from)); err != nil {
		return err
	}
	c.writer.Flush() // that the archive comes is known at once
	lost := export.Lost{}
	attachments := 0
	for _, part := range []func() error{
		func() error { return exportAccount(ctx, c, out, from) },
		func() error { return exportAvatar(ctx, out, from) },
		func() error { return exportKeys(ctx, out, from) },
		func() error { return exportWebhooks(ctx, out, from) },
		func() error { return exportPasskeys(ctx, out, from) },
		func() error { return exportMutes(ctx, out, from) },
		func() error { return a.exportSubscriptions(ctx, out, from) },
		func() error {
			return out.List("conversations.json", func(add func(any) error) error {
				return from.Conversations(ctx, func(found *service.Conversation) error {
					return add(c.exportedConversation(found))
				})
			})
		},
		func() error {
			return out.List("groups.json", func(add func(any) error) error {
				return from.Groups(ctx, func(g *model.Group) error { return add(c.Group(g)) })
			})
		},
		func() error {
			return out.List("duty.json", func(add func(any) error) error {
				return from.Duty(ctx, func(p *rota.Place) error { return add(exportedDuty(p)) })
			})
		},
		func() error {
			return out.List("messages.jsonl", func(add func(any) error) error {
				return from.Messages(ctx, func(m *model.Message, rows []model.StatusRow, e *model.Escalation) error {
					return add(c.exportedMessage(m, rows, e, from.Own))
				})
			})
		},
		func() (err error) {
			if !from.Own {
				return nil
			}
			lost, err = from.Attachments(ctx, func(m *model.Message, file io.Reader) error {
				attachments++
				return out.Stored(attachmentPath(m), file)
			})
			return err
		},
		func() error {
			return out.List("audit.jsonl", func(add func(any) error) error {
				return from.Audit(ctx, func(e *model.AuditEntry, names *model.AuditNames) error {
					return add(wire.ShownAuditLine(e, names, nil))
				})
			})
		},
		func() error {
			return out.Object("manifest.json", wireManifest{
				AccountID: from.Account, AskedBy: c.actor.Account, MadeTime: wire.Time(c.started), ServerVersion: a.version,
				Format: exportFormat, Content: from.Own, Organizations: from.Exported.Reader.Organizations(),
				Files: archiveFiles(out.Files), Attachments: attachments, AttachmentLost: wireLost(lost),
			})
		},
		out.Close,
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

func exportAccount(ctx context.Context, c *call, out *output.Archive, from *export.Archive) error {
	p, err := from.Profile(ctx)
	if err != nil {
		return err
	}
	w := wireExportedAccount{Account: c.User(p.Account), Operator: p.Operator,
		Organizations: make([]wireExportedMembership, len(p.Organizations)),
		Requests:      make([]wireExportedProposal, len(p.Requests))}
	for i := range p.Organizations {
		w.Organizations[i] = exportedMembership(&p.Organizations[i])
	}
	for i, r := range p.Requests {
		w.Requests[i] = wireExportedProposal{r.Organization, r.Title, r.Department, wire.Time(r.Created)}
	}
	return out.Object("account.json", w)
}

func exportedMembership(o *export.Membership) wireExportedMembership {
	w := wireExportedMembership{OrganizationID: o.Organization, Name: o.Name, Title: o.Title, Department: o.Department,
		Roles: append([]string{}, o.Roles...), PendingRoles: append([]string{}, o.Pending...),
		JoinedTime: wire.Time(o.Joined), Metadata: o.Metadata, Subjects: make([]wireExportedSubject, len(o.Subjects))}
	if o.Kept != nil {
		w.Directory = &wireExportedName{o.Kept.Name, o.Kept.ExternalID}
	}
	for i, s := range o.Subjects {
		w.Subjects[i] = wireExportedSubject{s.Issuer, s.Subject.Subject, wire.Time(s.Linked)}
	}
	return w
}

func exportAvatar(ctx context.Context, out *output.Archive, from *export.Archive) error {
	contentType, picture, err := from.Avatar(ctx)
	if err != nil || picture == nil {
		return err
	}
	_, kind, _ := strings.Cut(contentType, "/") // png, jpeg, gif or webp
	return errors.Join(out.Stored("avatar."+kind, picture), picture.Close())
}

func exportKeys(ctx context.Context, out *output.Archive, from *export.Archive) error {
	keys, err := from.Keys(ctx)
	if err != nil {
		return err
	}
	return out.List("keys.json", func(add func(any) error) error {
		for i := range keys {
			if err := add(wire.ShownKey(&keys[i])); err != nil {
				return err
			}
		}
		return nil
	})
}

func exportWebhooks(ctx context.Context, out *output.Archive, from *export.Archive) error {
	all, err := from.Webhooks(ctx)
	if err != nil {
		return err
	}
	return out.List("webhooks.json", func(add func(any) error) error {
		for i := range all {
			if err := add(wire.ShownWebhook(&all[i])); err != nil {
				return err
			}
		}
		return nil
	})
}

func exportPasskeys(ctx context.Context, out *output.Archive, from *export.Archive) error {
	all, err := from.Passkeys(ctx)
	if err != nil {
		return err
	}
	return out.List("passkeys.json", func(add func(any) error) error {
		for i := range all {
			if err := add(wire.ShownPasskey(&all[i])); err != nil {
				return err
			}
		}
		return nil
	})
}

func exportMutes(ctx context.Context, out *output.Archive, from *export.Archive) error {
	mutes, err := from.Mutes(ctx)
	if err != nil {
		return err
	}
	return out.List("mutes.json", func(add func(any) error) error {
		for i := range mutes {
			if err := add(wire.ShownMute(&mutes[i])); err != nil {
				return err
			}
		}
		return nil
	})
}

// exportSubscriptions lists the person's browsers that are told of messages, in one's own archive.
func (a *API) exportSubscriptions(ctx context.Context, out *output.Archive, from *export.Archive) error {
	if !from.Own {
		return nil
	}
	all, err := a.pusher.Subscriptions(ctx, from.Exported.Reader)
	if err != nil {
		return err
	}
	return out.List("push.json", func(add func(any) error) error {
		for i := range all {
			if err := add(shownSubscription(&all[i])); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *call) exportedConversation(f *service.Conversation) wireExportedConversation {
	w := c.Conversation(f)
	return wireExportedConversation{Entity: w.Entity, OrganizationID: w.OrganizationID, Unread: w.Unread,
		UnreadPriority: w.UnreadPriority, Muted: w.Muted, Listed: f.Conversation.Listed}
}

// exportedMessage shows a message; without content nothing of what its sender wrote.
func (c *call) exportedMessage(m *model.Message, rows []model.StatusRow, e *model.Escalation,
	content bool) wire.ExportedMessage {
	w := wire.ExportedMessage{Message: c.Message(m), Statuses: wire.StatusRows(rows)}
	if e != nil {
		way := wire.ShownEscalation(e)
		w.Way = &way
	}
	switch {
	case !content:
		w.Body, w.Attachments, w.AttachmentName, w.Data = nil, nil, "", nil
	case m.Attachment != nil:
		w.File = attachmentPath(m)
	}
	return w
}

// attachmentPath names the file of a message's attachment in an archive: its own name is
// anybody's choice, and only a plain ending is left of it.
func attachmentPath(m *model.Message) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	ending := strings.ToLower(path.Ext(m.Attachment.Name))
	if len(ending) < 2 || len(ending) > 9 || strings.Trim(ending[1:], letters) != "" {
		ending = ""
	}
	return "attachments/" + m.ID.String() + ending
}

// exportReadme tells people what is in an archive.
func exportReadme(from *export.Archive) string {
	text := `This archive holds the data of one account of a messaging server, as Articles 15 and 20 of the General Data
Protection Regulation (GDPR) ask for it. Its files are text in UTF-8: JSON, and in files that end in .jsonl a line
of JSON for each entry. The fields are those of the server's interface; times are UTC.

account.json        the profile, the organizations with roles and what their directories and sign-in providers call
                    the person, and those that ask for a membership
avatar.*            the picture, where the server keeps one
keys.json           keys and sessions, without their secrets: made, last used, and from where
webhooks.json       URLs to which events go, without what requests are signed with
passkeys.json       passkeys: made, and last used
mutes.json          what is muted, and until when
push.json           browsers that are told of new messages while no page is open
conversations.json  with whom there are conversations
groups.json         the groups that the person is in
duty.json           where rotas of groups name the person
messages.jsonl      messages sent and received, conversation by conversation, the oldest first, with their statuses
attachments/        the files of messages, which "file" of a message names
audit.jsonl         lines of the audit log by the person, and about it
manifest.json       when and by which version of the server this was made, and how many entries each file has

What the server had erased by then, or the person could not see any more, is not in it: messages that expired, were
recalled (that they were is there), or were removed. Some attachments may have ended while the archive was made;
manifest.json counts them as missing, and as damaged where only their beginning could be read.

The archive is whole where manifest.json is there and the program that opens it reports no error.
`
	if !from.Own {
		text += `
It was made for an administrator, and so without what people wrote: no text, data or file of a message, and no
metadata. It tells only of the organizations that manifest.json names.
`
	}
	return text
}

// wireDuty is where a rota names a person.
type wireDuty struct {
	GroupToken     model.GroupID        `json:"group_token"`
	OrganizationID model.OrganizationID `json:"organization_id"`
	Part           string               `json:"part"`
	From           wire.Time            `json:"from,omitzero"` // of an override; so is the next
	To             wire.Time            `json:"to,omitzero"`
}

func exportedDuty(p *rota.Place) wireDuty {
	return wireDuty{p.Group, p.Organization, p.Part, wire.Time(p.From), wire.Time(p.To)}
}
