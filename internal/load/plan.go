package load

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Plan says what load to put on a server.
type Plan struct {
	Scenario    string
	Connections int // operations that may be under way at once, each on a connection of its own
	// operations a second, begun on time; 0: each connection begins the next when the last has ended
	Rate      float64
	Duration  time.Duration // of what is measured
	Warmup    time.Duration // before it, not measured
	Payload   int           // bytes of a message's body, or of an attachment
	Members   int           // people in the group, with streams, or in the organization, as the scenario says
	RequestID bool          // every message has a Request-ID
}

// ErrPlan is a plan that cannot be carried out.
var ErrPlan = errors.New("wrong plan")

// The bounds of a plan: far beyond what one machine can do, and far below what
// would overflow anything.
const (
	maxConnections = 10_000
	maxMembers     = 1_000_000
	maxGroup       = 2_000 // limits.group_members
	maxPayload     = 1 << 30
	maxRate        = 10_000_000
)

// Validate returns an ErrPlan that names what is wrong.
func (p *Plan) Validate() error {
	problem := ""
	switch {
	case !slices.Contains(Scenarios(), p.Scenario):
		problem = fmt.Sprintf("there is no scenario %q", p.Scenario)
	case p.Connections < 1 || p.Connections > maxConnections:
		problem = fmt.Sprintf("connections are 1 to %d", maxConnections)
	case !(p.Rate >= 0 && p.Rate <= maxRate): // also refuses what is no number
		problem = fmt.Sprintf("a rate is 0 (none) to %d a second", maxRate)
	case p.Duration <= 0 || p.Warmup < 0:
		problem = "a duration is more than 0, and a warm-up not less"
	case p.Payload < 1 || p.Payload > maxPayload:
		problem = fmt.Sprintf("a payload is 1 to %d bytes", maxPayload)
	case p.Members < 1 || p.Members > maxMembers:
		problem = fmt.Sprintf("members are 1 to %d", maxMembers)
	case (p.Scenario == Group || p.Scenario == Deliver) && p.Members > maxGroup:
		problem = fmt.Sprintf("a group has 1 to %d members", maxGroup)
	case p.Scenario == Streams && p.Rate > 0:
		problem = "streams that are idle have no rate"
	}
	if problem != "" {
		return fmt.Errorf("%w: %s", ErrPlan, problem)
	}
	return nil
}
