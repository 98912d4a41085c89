package service

import (
	"signet/internal/upkeep"
)

// sweeper is what sweeps the store of a service.
func sweeper(s *Service) *upkeep.Sweeper {
	return upkeep.NewSweeper(upkeep.Options{
		Store: s.store, Vault: s.vault, Clock: s.time, Cases: s, Access: s.access,
		Audit: s.audit, Log: s.log, Retention: s.retention,
	})
}
