package service

// Forget drops all that is remembered of the store so that it need not be asked again,
// for a server that has nothing to do.
func (s *Service) Forget() {
	s.messages.forget()
	s.routes.forget()
}
