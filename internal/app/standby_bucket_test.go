package app

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/blob/s3test"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/offline"
	"signet/internal/standby"
	"signet/internal/succession"
	"signet/internal/testenv"
)

// bucketSettings are those of a server that standbys follow by a bucket.
func bucketSettings(t *testing.T, b *s3test.Bucket) *config.Config {
	t.Helper()
	cfg := pairSettings(t)
	cfg.Standby.Listen = ""
	cfg.Blobs, cfg.Standby.Bucket = b.Location("prefix=files"), b.Location("prefix=pair")
	return cfg
}

// collectorSettings are those of a standby of the server of a directory, with the keys that an administrator has
// brought.
func collectorSettings(t *testing.T, b *s3test.Bucket, of string) *config.Config {
	t.Helper()
	cfg := bucketSettings(t, b)
	cfg.StandbyOf = config.FromBucket
	if err := os.Mkdir(cfg.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{home.MasterFile, home.AuditKeyFile, home.OperatorFile} {
		text, err := os.ReadFile(filepath.Join(of, name))
		if err != nil {
			t.Fatal(err)
		}
		mustWrite(t, filepath.Join(cfg.Data, name), string(text), 0o600)
	}
	return cfg
}

// The first is there, and the two do not reach each other: it gives way, nothing that it confirmed is lost, and it
// does not start again. Then they change their roles once more.
func TestStandbyByABucketIsPromoted(t *testing.T) {
	bucket := s3test.Shared(t).Bucket(t)
	first := bucketSettings(t, bucket)
	w := mustOpenWardAt(t, first, false)
	cfg := collectorSettings(t, bucket, w.app.dir)
	s, _, promoted := mustFollowToEnd(t, cfg)
	w.sweep()
	file := bytes.Repeat([]byte("scan"), 50_000)
	kept := w.mustSendFile(file)
	awaitStatus(t, s, "it has a copy", func(f standby.Status) bool { return f.Connected && !f.Emptied.IsZero() })
	if _, err := w.alice.Send(t.Context(), client.Outgoing{Recipient: "bob", Body: "the last"}); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	p, running, err := offline.Promote(t.Context(), cfg, false)
	if err != nil || !running || !p.All || !p.Fenced || p.Term != 1 || p.Lacks != 0 {
		t.Fatalf("%+v, running %v, error %v", p, running, err)
	}
	if !promoted() {
		t.Fatal("the standby does not go on as the server")
	}
	t.Logf("it took %v", time.Since(begun))
	if err := w.stop(); err == nil || !strings.Contains(err.Error(), "took over") {
		t.Errorf("the server before ended with %v", err)
	}
	if _, err := succession.RoleOf(first, quiet()); err == nil || !strings.Contains(err.Error(), "signet demote") {
		t.Errorf("the server before starts again: %v", err)
	}
	wantSound(t, cfg)
	second := w.mustReopen(cfg)
	second.sweep() // with which a ward's work in the background begins
	if status, got := second.get(second.bob, "/message/"+kept+"/attachment/1"); status != 200 || !bytes.Equal(got, file) {
		t.Errorf("the file answers %d with %d bytes", status, len(got))
	}
	mustGoBack(t, first)
	_ = second.stop() // that it was fenced
	wantSound(t, first)
}

// mustGoBack makes a server that was fenced follow the one that took over, and take over from that.
func mustGoBack(t *testing.T, first *config.Config) {
	t.Helper()
	if err := offline.Demote(first, false); err != nil {
		t.Fatal(err)
	}
	first.StandbyOf = config.FromBucket
	again, _, promotedAgain := mustFollowToEnd(t, first)
	awaitStatus(t, again, "it follows the other", func(f standby.Status) bool {
		return f.Connected && f.Position.Term == 1 && !f.Emptied.IsZero()
	})
	if p, _, err := offline.Promote(t.Context(), first, false); err != nil || !p.All || p.Term != 2 {
		t.Fatalf("%+v, error %v", p, err)
	}
	if !promotedAgain() {
		t.Error("the standby does not go on as the server")
	}
}

// The first is lost: its standby, whether or not it runs, has what was in the bucket, and the first that comes back
// does not serve.
func TestServerOfABucketThatComesBackGivesWay(t *testing.T) {
	for name, runs := range map[string]bool{"the standby runs": true, "the standby does not run": false} {
		t.Run(name, func(t *testing.T) {
			bucket := s3test.Shared(t).Bucket(t)
			first := bucketSettings(t, bucket)
			a, err := Open(t.Context(), first, quiet())
			if err != nil {
				t.Fatal(err)
			}
			stopFirst := mustRun(t, a)
			cfg := collectorSettings(t, bucket, a.dir)
			s, stop, promoted := mustFollowToEnd(t, cfg)
			awaitCopy(t, s)
			if !runs {
				stop()
				if _, _, err := offline.Promote(t.Context(), cfg, false); err == nil ||
					!strings.Contains(err.Error(), "serves") {
					t.Errorf("it was promoted beside a server that serves: %v", err)
				}
			}
			mustOrganization(t, a, "General Hospital")
			if err := stopFirst(); err != nil {
				t.Fatal(err)
			}
			p, _, err := offline.Promote(t.Context(), cfg, false)
			if err != nil || p.Fenced || p.Reason == "" || p.AsOf.IsZero() {
				t.Fatalf("%+v, error %v", p, err)
			}
			if runs != promoted() {
				t.Fatalf("the standby goes on as the server: %v", !runs)
			}
			b, err := Open(t.Context(), cfg, quiet())
			if err != nil {
				t.Fatal(err)
			}
			mustRun(t, b)
			if !hasOrganization(t, b, "General Hospital") {
				t.Error("the organization is missing")
			}
			if _, err := Open(t.Context(), first, quiet()); err == nil || !strings.Contains(err.Error(), "took over") {
				t.Errorf("the server before starts: %v", err)
			}
		})
	}
}

// A first that is cut off from the bucket goes on, and gives way as soon as it reads there that another took over.
func TestServerThatIsCutOffFromTheBucketGivesWayLater(t *testing.T) {
	server := s3test.Shared(t)
	link := testenv.NewLink(t, server.Addr())
	bucket := server.Bucket(t)
	first := bucketSettings(t, bucket)
	first.Standby.Bucket = bucket.Through(link.Addr(), "prefix=pair")
	a, err := Open(t.Context(), first, quiet())
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { ended <- a.Run(ctx) }()
	cfg := collectorSettings(t, bucket, a.dir)
	s, _, promoted := mustFollowToEnd(t, cfg)
	awaitCopy(t, s)
	link.Cut()
	p, _, err := offline.Promote(t.Context(), cfg, false)
	if err != nil || p.Fenced || p.All {
		t.Fatalf("%+v, error %v", p, err)
	}
	if !promoted() {
		t.Fatal("the standby does not go on as the server")
	}
	mustOrganization(t, a, "Confirmed too late") // the window that docs/operate/standby.md tells of
	link.Mend()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "took over") {
		t.Errorf("the server before ended with %v", err)
	}
}
