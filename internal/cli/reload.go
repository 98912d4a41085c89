package cli

import (
	"log/slog"
	"strings"

	"signet/internal/config"
)

// levelKey is the setting that holds anew while the server runs.
const levelKey = "log.level"

// reloading reads a server's settings again.
type reloading struct {
	from     config.Sources
	log      *slog.Logger
	level    *slog.LevelVar
	settings []config.Effective // those that are in force
}

// reload takes over the log's level, and says which other settings wait for the next start. Their
// values may be secret and are not told.
func (r *reloading) reload() {
	cfg, err := config.Load(r.from)
	if err != nil {
		r.log.Warn("the settings cannot be read again: those stay that are in force", "error", err)
		return
	}
	var waiting []string
	for i, s := range cfg.Effective() {
		switch now := &r.settings[i]; {
		case s.Value == now.Value:
		case s.Key == levelKey:
			r.level.Set(cfg.Log.SlogLevel())
			r.log.Info("the log has another level from now on", "level", s.Value)
			now.Value = s.Value
		default:
			waiting = append(waiting, s.Key)
		}
	}
	if len(waiting) > 0 {
		r.log.Warn("settings have changed that hold from the next start on", "settings", strings.Join(waiting, " "))
	}
}
