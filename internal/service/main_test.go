package service_test

import (
	"net/netip"
	"testing"

	"go.uber.org/goleak"
)

var loopback = netip.MustParseAddr("127.0.0.1")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
