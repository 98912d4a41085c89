package bench

import (
	"fmt"

	"signet/internal/load"
)

// plots are the pictures, by the names of their files.
func (p *page) plots() map[string]*plot {
	over := &plot{title: "Sends a second over connections", x: "connections", y: "a second"}
	for _, line := range []struct{ engine, scenario, name string }{
		{embedded, load.Send, "embedded store"}, {postgreSQL, load.Send, "PostgreSQL"},
		{postgreSQL, baseline, "pgbench, SQL alone"},
	} {
		drawn := series{name: line.name}
		for _, connections := range p.size.connections {
			if s, ok := p.figures.of(key{engine: line.engine, scenario: line.scenario, connections: connections},
				throughput); ok {
				drawn.points = append(drawn.points, point{float64(connections), s})
			}
		}
		over.series = append(over.series, drawn)
	}
	plots := map[string]*plot{"throughput": over}
	for name, engine := range map[string]string{"cost-embedded": embedded, "cost-postgresql": postgreSQL} {
		cost := &plot{title: fmt.Sprintf("CPU of an operation over stored messages, %s", engine), x: "messages in the store",
			y: "µs, server and database"}
		for _, scenario := range growthScenarios {
			drawn := series{name: scenario}
			for _, stored := range p.size.storedIn(engine) {
				if s, ok := p.figures.of(p.size.grown(engine, scenario, stored), both); ok {
					drawn.points = append(drawn.points, point{float64(stored), s})
				}
			}
			cost.series = append(cost.series, drawn)
		}
		plots[name] = cost
	}
	return plots
}
