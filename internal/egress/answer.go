package egress

import "io"

// limited is a body of which only so much can be read.
type limited struct {
	body io.ReadCloser
	left int
}

// Read reads up to the limit. It fails once there is more.
func (l *limited) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := l.body.Read(p[:min(len(p), l.left+1)]) // one more byte tells that there is more
	if n > l.left {
		n, err = l.left, ErrAnswerTooLong
	}
	l.left -= n
	return n, err
}

func (l *limited) Close() error { return l.body.Close() }
