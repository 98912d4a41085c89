package postgres

import (
	"strings"
	"testing"

	"signet/internal/store"
	"signet/internal/store/postgrestest"
)

// TestLookAtADatabase before a server has begun with it, and afterwards. It changes nothing.
func TestLookAtADatabase(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	for range 2 {
		seen, err := Look(t.Context(), url+"&pool_max_conns=3")
		if err != nil || seen.Begun || !seen.OldEnough() || seen.Encoding != "UTF8" || seen.Reads || seen.Commit != "on" {
			t.Fatalf("an empty database is %+v, %v", seen, err)
		}
	}
	engine, err := Open(t.Context(), url, Options{})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := store.Open(t.Context(), engine, store.NewEpoch)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	cluster, err := engine.Cluster(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen, err := Look(t.Context(), url)
	if err != nil || !seen.Begun || seen.Facts.Schema != store.SchemaVersion() || seen.Cluster != cluster {
		t.Errorf("a store is %+v, %v", seen, err)
	}
	_, err = Look(t.Context(), "postgres://signet:hunter2@127.0.0.1:1/none?sslmode=disable")
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("where nobody listens, the error is %v", err)
	}
}
