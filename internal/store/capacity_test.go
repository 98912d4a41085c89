package store

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// input is a figure of the capacity model of docs/operate/sizing.md.
type input struct {
	name, unit string
	value      float64
	from       string
}

const (
	perDay      = "m"
	recipients  = "r"
	busiest     = "h"
	burst       = "b"
	days        = "d"
	streaming   = "s"
	opening     = "v"
	usable      = "u"
	nodeSend    = "Ns"
	nodeCopy    = "Nc"
	nodeStream  = "Nt"
	dbSend      = "Ds"
	dbCopy      = "Dc"
	dbStream    = "Dt"
	rowMessage  = "Bm"
	rowCopy     = "Bc"
	rowUser     = "Bu"
	logMessage  = "W"
	memStream   = "M"
	perNode     = "S"
	shardCores  = "C"
	shardDisk   = "G"
	connections = "P"
)

var capacity = map[string]input{
	perDay:     {"messages that a user sends in a day", "", 20, "assumed"},
	recipients: {"recipients of a message", "", 1.5, "assumed: mostly one to one, some to groups"},
	busiest:    {"share of the day's messages in the busiest hour", "", 0.1, "assumed"},
	burst:      {"its busiest second beside its mean", "", 2, "assumed"},
	days:       {"days that a message is kept", "", 30, "assumed: the lifetime that organizations set"},
	streaming:  {"share of users with an open stream", "", 0.3, "assumed"},
	opening: {"times that a user opens a messenger in a day: the list of conversations, one of them, a count", "", 10,
		"assumed"},
	usable: {"how far processors and disks are filled", "", 0.5,
		"assumed: the rest is for failures and for what is not in the model"},
	nodeSend: {"server CPU of a send", "µs", 130, "measured: performance, 64 connections"},
	nodeCopy: {"server CPU of a copy: its delivery, its acknowledgement, the status that goes back", "µs", 400,
		"measured: send, poll and acknowledgement, less the send"},
	nodeStream: {"server CPU of an idle stream, each second", "µs", 7.3, "measured: 1,500 streams, 20 s"},
	dbSend:     {"PostgreSQL CPU of a send", "µs", 250, "measured: 64 connections, fsync on"},
	dbCopy:     {"PostgreSQL CPU of a copy", "µs", 350, "measured, as above"},
	dbStream: {"PostgreSQL CPU of an idle stream, each second", "µs", 7.3,
		"measured: what servers ask for their streams, 1,500 of them"},
	rowMessage: {"a message of 200 bytes with its indexes", "bytes", 495, "measured: table sizes after 24,101 sends"},
	rowCopy:    {"a copy: the delivery 180, the event until it is acknowledged 183", "bytes", 363, "measured, as above"},
	rowUser:    {"a user: account, addresses, key, membership, search index, roster", "bytes", 8000, "assumed"},
	logMessage: {"write-ahead log of a message and what follows from it", "bytes", 4000,
		"measured for the send (1,740); the rest assumed"},
	memStream: {"server memory of a stream", "bytes", 10600, "measured: 1,500 streams, 20 s"},
	perNode: {"streams of a server", "", 50000, "assumed: 0.5 GB of memory, and what a restart may throw at the " +
		"others"},
	shardCores:  {"cores of a database server", "", 16, "assumed"},
	shardDisk:   {"disk of a database server", "TB", 2, "assumed"},
	connections: {"connections of a server to the database", "", 64, "the most by itself; pool_max_conns"},
}

// symbols are the inputs in the order of the page.
var symbols = []string{
	perDay, recipients, busiest, burst, days, streaming, opening, usable, nodeSend, nodeCopy, nodeStream, dbSend, dbCopy,
	dbStream, rowMessage, rowCopy, rowUser, logMessage, memStream, perNode, shardCores, shardDisk, connections,
}

// modelLine is a line of the model. What it computes has the name before " = " in how, if there is one.
type modelLine struct {
	what, how string
	compute   func(m *worked) float64
}

// worked is the model, worked out for a number of users.
type worked struct {
	users float64
	v     func(symbol string) float64 // inputs
	row   map[string]float64          // lines by their names
}

var modelLines = []modelLine{
	{"messages a second at the peak", "R = U·m·h·b / 3600",
		func(m *worked) float64 { return m.users * m.v(perDay) * m.v(busiest) * m.v(burst) / 3600 }},
	{"open streams", "T = U·s", func(m *worked) float64 { return m.users * m.v(streaming) }},
	{"messengers opened a second at the peak", "O = U·v·h·b / 3600",
		func(m *worked) float64 { return m.users * m.v(opening) * m.v(busiest) * m.v(burst) / 3600 }},
	{"server cores for messages", "R·(Ns + r·Nc)",
		func(m *worked) float64 { return m.row["R"] * (m.v(nodeSend) + m.v(recipients)*m.v(nodeCopy)) / 1e6 }},
	{"server cores for streams", "T·Nt", func(m *worked) float64 { return m.row["T"] * m.v(nodeStream) / 1e6 }},
	{"memory for streams, GB", "T·M", func(m *worked) float64 { return m.row["T"] * m.v(memStream) / 1e9 }},
	{"database cores for messages", "E = R·(Ds + r·Dc)",
		func(m *worked) float64 { return m.row["R"] * (m.v(dbSend) + m.v(recipients)*m.v(dbCopy)) / 1e6 }},
	{"database cores for streams", "F = T·Dt", func(m *worked) float64 { return m.row["T"] * m.v(dbStream) / 1e6 }},
	{"stored, GB", "V = U·(Bu + m·d·(Bm + r·Bc))", func(m *worked) float64 {
		return m.users * (m.v(rowUser) + m.v(perDay)*m.v(days)*(m.v(rowMessage)+m.v(recipients)*m.v(rowCopy))) / 1e9
	}},
	{"rows in messages and deliveries, millions", "U·m·d·(1 + r)",
		func(m *worked) float64 { return m.users * m.v(perDay) * m.v(days) * (1 + m.v(recipients)) / 1e6 }},
	{"write-ahead log at the peak, MB a second", "R·W",
		func(m *worked) float64 { return m.row["R"] * m.v(logMessage) / 1e6 }},
	{"write-ahead log a day, GB", "U·m·W",
		func(m *worked) float64 { return m.users * m.v(perDay) * m.v(logMessage) / 1e9 }},
	{"**servers**", "N = max(2, T / S) + 1",
		func(m *worked) float64 { return math.Ceil(max(2, m.row["T"]/m.v(perNode))) + 1 }},
	{"**database servers**, without replicas", "D = max((E + F) / (u·C), V / (u·G))", func(m *worked) float64 {
		return math.Ceil(max((m.row["E"]+m.row["F"])/(m.v(usable)*m.v(shardCores)),
			m.row["V"]/(m.v(usable)*m.v(shardDisk)*1000)))
	}},
	{"connections to the database", "N·P", func(m *worked) float64 { return m.row["N"] * m.v(connections) }},
	{"statements a second by which servers look after their streams", "2·N / 0.75 + 3·T / 500 / 60 + T / 500 / 2",
		func(m *worked) float64 { return 2*m.row["N"]/0.75 + 3*m.row["T"]/500/60 + m.row["T"]/500/2 }},
}

// workOut works the model out. The values are those of modelLines, in their order.
func workOut(users float64, v func(symbol string) float64) (m *worked, values []float64) {
	m = &worked{users: users, v: v, row: map[string]float64{}}
	for _, line := range modelLines {
		value := line.compute(m)
		if name, _, named := strings.Cut(line.how, " = "); named {
			m.row[name] = value
		}
		values = append(values, value)
	}
	return m, values
}

// assumed are the inputs as the page has them.
func assumed(symbol string) float64 { return capacity[symbol].value }

// modelledUsers are the numbers of users that the page works the model out for.
var modelledUsers = []float64{1e4, 1e6, 1e8}

// TestCapacityModel keeps the worked-out figures of the page in step with its inputs.
func TestCapacityModel(t *testing.T) {
	var in strings.Builder
	in.WriteString("| | what | value | from |\n|---|---|---|---|\n")
	for _, symbol := range symbols {
		i := capacity[symbol]
		fmt.Fprintf(&in, "| %s | %s | %s | %s |\n", symbol, i.name, strings.TrimSpace(amount(i.value)+" "+i.unit), i.from)
	}
	wantListed(t, sizingPage, "inputs", in.String())

	var out strings.Builder
	out.WriteString("| U, users | | 10,000 | 1,000,000 | 100,000,000 |\n|---|---|---|---|---|\n")
	for i, line := range modelLines {
		fmt.Fprintf(&out, "| %s | %s |", line.what, line.how)
		for _, users := range modelledUsers {
			_, values := workOut(users, assumed)
			fmt.Fprintf(&out, " %s |", amount(values[i]))
		}
		out.WriteString("\n")
	}
	wantListed(t, sizingPage, "model", out.String())
}

// amount writes a number with two or three digits that count, and commas.
func amount(v float64) string {
	switch {
	case v < 1:
		return fmt.Sprintf("%.2g", v)
	case v < 100 && v != math.Trunc(v):
		return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
	}
	digits := fmt.Sprintf("%.0f", v)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
