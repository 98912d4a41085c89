package app

import (
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"signet/client"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// Each server that starts on an empty database at the same time comes up; one makes
// the operator account, and that one has its credentials.
func TestServersThatStartTogetherForTheFirstTimeMakeOneOperator(t *testing.T) {
	testenv.Long(t)
	for range 3 {
		url, ring := postgrestest.URL(t), postgrestest.URL(t)
		master := filepath.Join(t.TempDir(), "master.json") // which all of them miss, and one makes
		servers := make([]*App, 3)
		dirs := make([]string, len(servers))
		var starting sync.WaitGroup
		for i := range servers {
			cfg := settings(t)
			cfg.Database, dirs[i] = url, cfg.Data
			cfg.Keyring, cfg.MasterKey = ring, "file:"+master
			starting.Go(func() {
				var err error
				if servers[i], err = Open(t.Context(), cfg, quiet()); err != nil {
					t.Error(err)
				}
			})
		}
		starting.Wait()
		if t.Failed() {
			return
		}
		var credentials []map[string]any
		stop := make([]func() error, len(servers))
		for i, server := range servers {
			stop[i] = mustRun(t, server)
			path := filepath.Join(dirs[i], "operator.json")
			_, err := os.Stat(path)
			if written := err == nil; written != (server.OperatorFile() != "") {
				t.Errorf("there is an operator.json: %t, and the server says %q", written, server.OperatorFile())
			}
			if err == nil {
				credentials = append(credentials, mustReadJSON(t, path))
			}
			wantNoLeftovers(t, dirs[i])
		}
		if len(credentials) != 1 {
			t.Fatalf("%d servers wrote credentials, want one: %v", len(credentials), credentials)
		}
		for _, server := range servers {
			c, err := client.New(server.BaseURL(), credentials[0]["api_key"].(string), credentials[0]["api_secret"].(string),
				client.WithHTTPClient(caller))
			if err != nil {
				t.Fatal(err)
			}
			self, err := c.Self(t.Context())
			if err != nil || self.Username != "operator" {
				t.Errorf("the operator calls as %+v, %v", self, err)
			}
		}
		// At the next start nothing of it changes.
		for i, server := range servers {
			before := map[string]any{}
			if server.OperatorFile() != "" {
				before = mustReadJSON(t, server.OperatorFile())
			}
			if err := stop[i](); err != nil {
				t.Fatal(err)
			}
			cfg := settings(t)
			cfg.Database, cfg.Data, cfg.Keyring, cfg.MasterKey = url, dirs[i], ring, "file:"+master
			again, err := Open(t.Context(), cfg, quiet())
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			after := map[string]any{}
			if again.OperatorFile() != "" {
				after = mustReadJSON(t, again.OperatorFile())
			}
			delete(before, "base_url")
			delete(after, "base_url")
			if !maps.Equal(before, after) {
				t.Errorf("the credentials are %v after a restart, and were %v", after, before)
			}
		}
	}
}
