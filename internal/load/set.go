package load

import (
	"slices"
	"time"
)

// The defaults of a plan.
const (
	DefaultConnections = 16
	DefaultPayload     = 200      // bytes of a message's body
	DefaultFile        = 64 << 10 // bytes of an attachment
	LargeFile          = 25 << 20 // bytes of the largest attachment that a server takes by default
	DeliverRate        = 100      // messages a second, of the deliver scenario in the set at a rate
	DefaultStreams     = 1000     // idle streams
	DefaultPeople      = 1000     // in the organization that is searched
)

// Set returns the plans by which servers are compared: each scenario at the loads
// that tell most about it. With names it has only those scenarios.
func Set(duration, warmup time.Duration, scenarios ...string) (plans []Plan) {
	put := func(p Plan) {
		p.Duration, p.Warmup = duration, warmup
		plans = append(plans, p)
	}
	add := func(scenario string, members int, connections ...int) {
		payload := DefaultPayload
		if scenario == Attachments {
			payload = DefaultFile
		}
		for _, n := range connections {
			put(Plan{Scenario: scenario, Connections: n, Payload: payload, Members: members})
		}
	}
	// First, while the server has no memory of anything else.
	add(Streams, DefaultStreams, 16)
	add(Send, 1, 1, 16, 64)
	add(Acknowledge, 1, 16, 64)
	add(Poll, 1, 16, 64)
	add(History, 1, 16, 64)
	add(Unread, 1, 16, 64)
	add(Search, DefaultPeople, 16)
	add(Attachments, 1, 16)
	put(Plan{Scenario: Attachments, Connections: 4, Payload: LargeFile, Members: 1})
	add(Group, 10, 16)
	add(Group, 100, 16)
	// Nothing warms it up: what that left to be done would count. And what is left takes many times as long.
	plans = append(plans,
		Plan{Scenario: Group, Connections: 16, Payload: DefaultPayload, Members: 1000, Duration: duration / 5})
	add(Deliver, 1, 16)
	put(Plan{Scenario: Deliver, Connections: 16, Rate: DeliverRate, Payload: DefaultPayload, Members: 1})
	for _, members := range []int{10, 100, 1000} {
		add(Deliver, members, 4)
	}
	add(Mixed, DefaultPeople, 64)
	if len(scenarios) == 0 {
		return plans
	}
	return slices.DeleteFunc(plans, func(p Plan) bool { return !slices.Contains(scenarios, p.Scenario) })
}

// How long a floor runs, which is measured twice beside each plan: it is steady, and
// warm soon. A second would hold few large files.
const (
	floorTime   = time.Second
	floorWarmup = 250 * time.Millisecond
	copyTime    = 5 * time.Second
)

// FloorOf returns the plan of the floor that belongs to another plan: as fast as it
// goes, on as many connections; that of attachments copies files as large. Idle streams
// have none: ok is false.
func FloorOf(p Plan) (floor Plan, ok bool) {
	floor = Plan{Scenario: Floor, Connections: p.Connections, Duration: min(p.Duration, floorTime),
		Warmup: min(p.Warmup, floorWarmup), Payload: DefaultPayload, Members: 1}
	if p.Scenario == Attachments {
		floor.Scenario, floor.Payload = FileFloor, p.Payload
		floor.Duration = max(floor.Duration, min(p.Duration/2, copyTime))
	}
	return floor, p.Scenario != Streams
}
