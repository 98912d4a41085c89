package app

import (
	"strings"
	"testing"
	"time"

	"signet/client"
)

// TestServerNoticesAnAuditLogThatWasChanged changes the log behind a server's back, and
// puts it right again.
func TestServerNoticesAnAuditLogThatWasChanged(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	w.sweep()
	operator := w.operator(mustReadCredentials(t, w.app.OperatorFile()))
	broken := func() bool {
		answer, body := mustDo(t, "GET", w.app.BaseURL()+"/readyz")
		wantStatus(t, answer, 200)
		_, metrics := mustDo(t, "GET", w.app.BaseURL()+"/metrics")
		said := strings.Contains(body, "the audit log was changed")
		if counted := strings.Contains(metrics, "signet_audit_chain_broken 1\n"); counted != said {
			return !said // not settled: one was asked before the other
		}
		return said
	}
	wait := func(what string, want bool, meanwhile ...string) {
		t.Helper()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for range 1000 {
			if broken() == want {
				return
			}
			if len(meanwhile) > 0 {
				mustExec(t, w.app.dir, meanwhile...)
			}
			w.passed.Add(int64(time.Minute / 10)) // the ends are signed once a minute
			<-tick.C
		}
		t.Fatalf("%s: it is not said, or still", what)
	}
	wait("as it was written", false)
	if _, err := operator.CreateOrganization(t.Context(), "Audited", client.OrganizationSettings{}); err != nil {
		t.Fatal(err)
	}
	// Whether it is signed by now is a matter of the moment, and a signing that has read it already ends after this:
	// nothing stays signed.
	const unsigned = `DELETE FROM audit_checkpoints WHERE chain = ''`
	mustExec(t, w.app.dir, `UPDATE audit_entries SET times = times + 1 WHERE chain = '' AND number = 1`, unsigned)
	if _, err := operator.CreateOrganization(t.Context(), "Audited too", client.OrganizationSettings{}); err != nil {
		t.Fatal(err)
	}
	wait("with another entry", true, unsigned)
	mustExec(t, w.app.dir, `UPDATE audit_entries SET times = times - 1 WHERE chain = '' AND number = 1`)
	wait("as it was written again", false)

	mustExec(t, w.app.dir, `DELETE FROM audit_entries`, `DELETE FROM audit_chains`, `DELETE FROM audit_checkpoints`)
	wait("with nothing in it", true)
}
