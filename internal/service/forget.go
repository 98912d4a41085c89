package service

import (
	"context"

	"signet/internal/model"
)

// Forget drops all that is remembered of the store so that it need not be asked again,
// for a server that has nothing to do.
func (s *Service) Forget() {
	s.messages.ForgetAll()
	s.persons.ForgetAll()
	s.changed.ForgetAll()
	s.recipients.forget()
}

// ForgetRecipients drops who may send to whom.
func (s *Service) ForgetRecipients() { s.recipients.forget() }

// ForgetAccess drops all that is remembered of keys, recipients and people: another process
// has written to the store.
func (s *Service) ForgetAccess() {
	s.access.DropAll()
	s.recipients.forget()
	s.persons.ForgetAll()
}

// ForgetMessages drops messages that were erased from what is remembered.
func (s *Service) ForgetMessages(ids ...model.MessageID) { s.messages.Forget(ids...) }

// Age forgets what was remembered before the last call: each sweep calls it.
func (s *Service) Age() {
	s.messages.Age()
	s.persons.Age()
	s.changed.Age()
	s.access.Age()
}

// Wake tells readers, on all nodes, that something has come into their queues.
func (s *Service) Wake(ctx context.Context, accounts ...model.AccountID) {
	s.hub.Wake(ctx, accounts...)
}
