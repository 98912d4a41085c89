package load

import (
	"cmp"
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
	Sample    time.Duration // so often figures are taken on the way (Result.Samples); 0: never
	Payload   int           // bytes of a message's body, or of an attachment
	Members   int           // people in the group, with streams, or in the organization, as the scenario says
	RequestID bool          // every message has a Request-ID
	TTL       int           // minutes that a message of the scenario Soak lives; 0: as long as the server has it
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
	maxTTL         = 525_600 // a year
)

// Validate returns an ErrPlan that names what is wrong.
func (p *Plan) Validate() error {
	if problem := cmp.Or(p.outOfBounds(), p.unfit()); problem != "" {
		return fmt.Errorf("%w: %s", ErrPlan, problem)
	}
	return nil
}

// outOfBounds names what no scenario can be carried out with; "": there is nothing.
func (p *Plan) outOfBounds() string {
	switch {
	case !slices.Contains(Scenarios(), p.Scenario):
		return fmt.Sprintf("there is no scenario %q", p.Scenario)
	case p.Connections < 1 || p.Connections > maxConnections:
		return fmt.Sprintf("connections are 1 to %d", maxConnections)
	case !(p.Rate >= 0 && p.Rate <= maxRate): // also refuses what is no number
		return fmt.Sprintf("a rate is 0 (none) to %d a second", maxRate)
	case p.Duration <= 0 || p.Warmup < 0 || p.Sample < 0:
		return "a duration is more than 0, and neither a warm-up nor the time between samples is less"
	case p.Payload < 1 || p.Payload > maxPayload:
		return fmt.Sprintf("a payload is 1 to %d bytes", maxPayload)
	case p.Members < 1 || p.Members > maxMembers:
		return fmt.Sprintf("members are 1 to %d", maxMembers)
	case p.TTL < 0 || p.TTL > maxTTL:
		return fmt.Sprintf("a ttl is 1 to %d minutes, or 0: as long as the server has it", maxTTL)
	}
	return ""
}

// unfit names what the plan's scenario has no use for; "": there is nothing.
func (p *Plan) unfit() string {
	switch {
	case (p.Scenario == Group || p.Scenario == Deliver) && p.Members > maxGroup:
		return fmt.Sprintf("a group has 1 to %d members", maxGroup)
	case p.TTL > 0 && p.Scenario != Soak:
		return fmt.Sprintf("only messages of the scenario %s have a ttl", Soak)
	case p.Scenario == Streams && p.Sample > 0:
		return "streams that are idle have no samples"
	case p.Scenario == Streams && p.Rate > 0:
		return "streams that are idle have no rate"
	}
	return ""
}
