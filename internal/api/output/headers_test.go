package output

import "testing"

func TestRequestIDsAreDifferent(t *testing.T) {
	if a, b := newRequestID(), newRequestID(); a == b {
		t.Errorf("%s came twice", a)
	}
}
