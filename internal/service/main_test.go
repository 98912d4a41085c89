package service_test

import (
	"net/netip"
	"testing"

	"go.uber.org/goleak"

	"signet/internal/testenv"
)

var loopback = netip.MustParseAddr("127.0.0.1")

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }
