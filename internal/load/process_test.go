package load

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// The programs here are shells that do what a server could.

func TestServerThatEndsAtOnceSaysWhy(t *testing.T) {
	_, err := start(t.Context(), "sh", nil, "-c", "echo the disk is full >&2; exit 3")
	if err == nil || !strings.Contains(err.Error(), "the disk is full") ||
		!strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("got %v, want its exit status and what it logged", err)
	}
}

func TestServerThatDoesNotListenIsEndedWithTheContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := start(ctx, "sh", nil, "-c", "exec sleep 1000"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want that the time was over", err)
	}
}

func TestServerIsAskedToStopAndWaitedFor(t *testing.T) {
	p, err := start(t.Context(), "sh", nil, "-c",
		`trap 'echo bye >&2; exit 0' INT; echo "Listening, base URL http://there"; while :; do read -r _ || sleep 0.01; done`)
	if err != nil {
		t.Fatal(err)
	}
	if p.BaseURL != "http://there" || !Running(p.PID) {
		t.Errorf("the server is %+v, want one at http://there that runs", p)
	}
	if err := p.Stop(); err != nil || p.log.text() != "bye" {
		t.Errorf("got %v and the log %q, want that it ended by itself", err, p.log.text())
	}
	if err := p.Stop(); err != nil {
		t.Errorf("stopping it again: %v", err)
	}
}

// Settings for another server must not hold for the measured one.
func TestServerGetsNoSettingsOfTheEnvironment(t *testing.T) {
	t.Setenv("SIGNET_LOG_LEVEL", "debug")
	t.Setenv("OTHER", "kept")
	p, err := start(t.Context(), "sh", []string{"SIGNET_DATABASE=given"}, "-c",
		`echo "base URL $SIGNET_LOG_LEVEL,$SIGNET_DATABASE,$OTHER"; exec sleep 60`) // one that ends has not started
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	if p.BaseURL != ",given,kept" {
		t.Errorf("it sees %q, want what is given and what is no setting", p.BaseURL)
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var log tail
	for range 1000 {
		_, _ = log.Write([]byte("a line that is followed by others\n"))
	}
	_, _ = log.Write([]byte("the last\n"))
	if text := log.text(); len(text) > tailLength || !strings.HasSuffix(text, "others\nthe last") {
		t.Errorf("%d bytes are kept, ending with %q", len(text), text[max(0, len(text)-40):])
	}
}
