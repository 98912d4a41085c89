package succession

import (
	"testing"

	"signet/internal/config"
	"signet/internal/standby"
)

// A demotion that was interrupted after the database became a copy leaves nothing that could take over again.
func TestInterruptedDemotionIsNotTakenBack(t *testing.T) {
	cfg := config.Default()
	cfg.Data = t.TempDir()
	note := &Note{ID: "copy", Of: "http://127.0.0.1:1", Stage: following}
	if err := note.write(cfg.Data); err != nil {
		t.Fatal(err)
	}
	if err := NoteFenced(cfg.Data, standby.Claim{Installation: "one", Term: 1, By: "a test"}); err != nil {
		t.Fatal(err)
	}
	if p, err := TakeBack(t.Context(), cfg); err == nil {
		t.Errorf("it takes over again: %+v", p)
	}
	if follows, err := Follows(cfg.Data); err != nil || !follows {
		t.Errorf("it is a standby's: %v, error %v", follows, err)
	}
	if err := Demote(cfg.Data, false); err != nil {
		t.Error(err)
	}
	if err := Fenced(cfg.Data); err != nil {
		t.Errorf("after the demotion was finished it is still %v", err)
	}
}
