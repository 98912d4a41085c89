package app_test

import (
	"net/http"
	"testing"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/offline"
	"signet/internal/testenv"
)

// An operator erases an account by a call, and who runs the server another one and an
// organization in another process: the streams of those who are gone end, on every server,
// and their keys are refused.
func TestErasingEndsStreamsAndKeysOfServersThatRun(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	onAServerAndOnTwo(t, func(t *testing.T, c *cluster, cfg *config.Config) {
		streams := map[*apptest.Person][]*listener{}
		for i := range c.nodes {
			for _, who := range []*apptest.Person{c.Alice, c.Bob, c.Carol, c.Operator} {
				streams[who] = append(streams[who], c.listen(i, who))
			}
		}
		gone := func(who *apptest.Person) {
			t.Helper()
			for i, node := range c.nodes {
				streams[who][i].wantEnd()
				eventually(t, "the key is refused", func() bool {
					answer := node.MustSend(t, node.NewHTTPClient(),
						apptest.Request{Method: "GET", Target: "/v2/user/me", Header: [][2]string{
							{"Authorization", "Basic " + basic(who)},
						}})
					if answer.Status != http.StatusOK && answer.Status != http.StatusUnauthorized {
						t.Errorf("GET /user/me answers %d, want 401", answer.Status)
					}
					return answer.Status == http.StatusUnauthorized
				})
			}
		}
		carol := c.Carol
		c.must(c.Operator.Client.EraseUser(t.Context(), carol.Token, carol.Name))
		gone(carol)
		c.must(offline.EraseAccount(t.Context(), cfg.Data, cfg.Database, "US", c.Alice.Token, false))
		gone(c.Alice)
		c.must(offline.EraseOrganization(t.Context(), cfg, c.Organization, false))
		gone(c.Bob)
		status := "watching"
		c.must(c.Operator.Client.UpdateProfile(t.Context(), client.Profile{Status: &status}))
		for _, st := range streams[c.Operator] {
			st.wantNext(client.EventSettings)
		}
	})
}

// onAServerAndOnTwo runs a test on an embedded store, and on two servers that share a database, with
// the settings by which commands find each.
func onAServerAndOnTwo(t *testing.T, test func(*testing.T, *cluster, *config.Config)) {
	t.Helper()
	var alone, shared *config.Config
	single := apptest.Start(t, func(cfg *config.Config) { cfg.Database, alone = "", cfg })
	embedded := &cluster{t: t, nodes: []*apptest.Server{single}, Cast: single.People()}
	two := newCluster(t, 2, "", func(cfg *config.Config) { shared = cfg })
	for name, on := range map[string]struct {
		c   *cluster
		cfg *config.Config
	}{"embedded": {embedded, alone}, "two_nodes": {two, shared}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, on.c, on.cfg)
		})
	}
}
