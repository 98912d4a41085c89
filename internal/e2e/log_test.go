package e2e

import (
	"bytes"
	"fmt"
	"sync"
)

// log collects what processes write, and may be read meanwhile.
type log struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// tail is the end of it, as much as helps.
func (l *log) tail() string {
	const most = 8 << 10
	text := l.String()
	if len(text) > most {
		return fmt.Sprintf("(%d bytes before)\n%s", len(text)-most, text[len(text)-most:])
	}
	return text
}
