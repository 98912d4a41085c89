package app_test

import (
	"testing"

	"signet/client"
	"signet/internal/config"
	"signet/internal/offline"
	"signet/internal/store"
	"signet/internal/testenv"
)

// What a command leaves to be done, the servers that run do within seconds: no restart is needed,
// and those who read are told what it put into their queues.
func TestServersDoWhatACommandLeaves(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	onAServerAndOnTwo(t, func(t *testing.T, c *cluster, cfg *config.Config) {
		for _, held := range []bool{true, false} {
			c.must(offline.HoldOrganization(t.Context(), cfg.Data, cfg.Database, c.Organization, held))
		}
		eventually(t, "what the hold kept is erased once it is lifted", func() bool {
			left := false
			c.must(offline.Inspect(t.Context(), cfg.Data, cfg.Database, func(kept *store.Store) (err error) {
				left, err = store.Read(t.Context(), kept, func(tx *store.Tx) (bool, error) {
					_, found, err := tx.NextDue([]store.JobKind{store.EraseHeld})
					return found, err
				})
				return err
			}))
			return !left
		})

		_, err := c.Alice.Client.CreateGroup(t.Context(), client.NewGroup{Name: "Ward", Members: []string{c.Bob.Token,
			c.Carol.Token}})
		c.must(err)
		st := c.listen(0, c.Bob)
		c.must(offline.EraseAccount(t.Context(), cfg.Data, cfg.Database, "US", c.Carol.Token, false))
		st.wantNext(client.EventUpdate)
	})
}
