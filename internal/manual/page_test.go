package manual

import (
	"os"
	"strings"
	"testing"
	"time"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); os.Exit(m.Run()) }

// Prose is filled, and what is indented keeps its lines. Nothing in it is a command of troff.
func TestProse(t *testing.T) {
	p := begin("signet-x", 1, Version{Name: "v1.2.3", Date: time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC)}, "an example.")
	p.prose(".hidden is a\nfile, 'x' \\too.\n\nExample:\n\n  signet x \\\n    .y", true)
	want := `.TH "SIGNET\-X" 1 "2026-11-21" "signet 1.2.3" "Signet"
.SH NAME
signet\-x \- an example
\&.hidden is a file, \(aqx\(aq \etoo.
.PP
Example:
.PP
.RS 4
.nf
signet x \e
  .y
.fi
.RE
`
	if got := p.b.String(); got != want {
		t.Errorf("the page is\n%s\nwant\n%s", got, want)
	}
}

func TestThePageOfTheSettingsHasEachOnce(t *testing.T) {
	page := Settings(Version{Name: "v1.2.3"})
	if page.File() != "signet.yaml.5" {
		t.Errorf("the file is %s", page.File())
	}
	for _, key := range []string{`\fBlisten\fR`, `\fBtls.cert\fR`, `\fBlimits.messages_per_day\fR`} {
		if n := strings.Count(page.Text, key+" ("); n != 1 {
			t.Errorf("%s is %d times on the page", key, n)
		}
	}
}
