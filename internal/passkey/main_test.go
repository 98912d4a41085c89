package passkey

import (
	"testing"

	"go.uber.org/goleak"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }
