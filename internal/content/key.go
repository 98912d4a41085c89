package content

import (
	"time"

	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
	"signet/internal/store/notes"
	"signet/internal/store/sealing"
)

// What is sealed is bound to the organization, the table, the row and the column, so
// that it opens there only.

func messageBinding(row *store.MessageRow) []byte {
	return seal.Bind(string(row.Organization), "messages", string(row.ID[:]), "content")
}

func metadataBinding(organization model.OrganizationID, entity model.EntityID) []byte {
	return seal.Bind(string(organization), "metadata", string(entity[:]), "content")
}

func requestBinding(account model.AccountID, request string) []byte {
	return seal.Bind("", "requests", string(account[:])+request, "fingerprint")
}

func secretBinding(w *model.Webhook) []byte {
	return seal.Bind("", "webhooks", string(w.Account[:])+string(w.ID[:]), "secret")
}

func providerBinding(organization model.OrganizationID) []byte {
	return seal.Bind(string(organization), "providers", "", "secret")
}

func blobBinding(id model.BlobID) []byte {
	return seal.Bind("", "blobs", string(id[:]))
}

// DayKey names the key of an organization's messages that expire on a day, or that were
// sent on it and never expire.
func DayKey(organization model.OrganizationID, day store.KeyDay) seal.Name {
	if day.Lasting {
		return seal.Name{Scope: string(organization), Period: seal.From(day.Start())}
	}
	return seal.Name{Scope: string(organization), Period: seal.Until(day.Start())}
}

// messageKey names the key of a message.
func messageKey(row *store.MessageRow) seal.Name {
	return DayKey(row.Organization, row.KeyDay())
}

// metadataKey names the key of an organization's metadata.
func metadataKey(organization model.OrganizationID) seal.Name {
	return seal.Name{Scope: string(organization), Period: seal.Always}
}

// requestKey names the key for what was sent under a Request-ID at a time. It belongs to no
// organization, and ends with what it seals.
func requestKey(now time.Time) seal.Name {
	return seal.Name{Period: seal.Until(now.Add(model.RepeatWindow))}
}

// KeyLeft reports whether anything is left, as of a time, that a key of this name seals.
// Whatever is to outlive its end, for any reason, has to be asked for here. latest is a
// time by which no clock was ahead yet.
func KeyLeft(tx *store.Tx, name seal.Name, at, latest time.Time) (left bool, err error) {
	if name == rows || name == secrets {
		return true, nil
	}
	organization := model.OrganizationID(name.Scope)
	if begin, ok := seal.Begins(name.Period); ok {
		return sealing.MessagesLeft(tx, organization, store.KeyDay{Lasting: true, Day: begin.Unix() / 86400}, latest)
	}
	if end, ok := seal.Ends(name.Period); ok {
		if organization == "" { // what was sent under Request-IDs
			return at.Before(end), nil
		}
		day := store.KeyDay{Day: end.Unix()/86400 - 1}
		if left, err := sealing.MessagesLeft(tx, organization, day, latest); err != nil || left {
			return left, err
		}
		return notes.Left(tx, organization, day)
	}
	if name.Period == seal.Always {
		_, left, err = tx.Organization(organization)
		return left, err
	}
	return true, nil // of a later version of this program
}
