package main

// streams is about event streams, and what servers on one database tell each other.
func streams() board {
	return board{uid: "signet-streams", title: "Signet / Streams and servers",
		about: "Event streams, the servers that share a database, and how they hear of each other.",
		rows: []row{
			{"Streams and servers", []panel{
				{title: "Streams", unit: "short",
					about:   "Open on each server. 0 on one: the load balancer does not reach it.",
					queries: each("signet_streams")},
				{title: "Servers", unit: "short",
					about:   "Servers that share the database and are alive, and those that are ready.",
					queries: []query{{`max(signet_nodes{@})`, "alive"}, {`sum(signet_ready{@})`, "ready"}}},
				{title: "Clock in doubt", unit: "short",
					about:   "1: the server erases nothing, since its clock may be wrong.",
					queries: each("signet_clock_in_doubt")},
				{title: "Clock of the database", unit: "s",
					about:   "By how much it is ahead of the server's. More than 0.5 either way: the server is not ready.",
					queries: each("signet_clock_offset_seconds")},
				{title: "Certificate ends", unit: "s",
					about:   "How long each server's certificate is still valid.",
					queries: one(`signet_tls_certificate_not_after_timestamp_seconds{@} - time()`, "{{instance}}")},
			}},
			{"Between servers", []panel{
				{title: "Connected", unit: "short",
					about:   "0: the server hears of the others late. Look at NATS, or for a pooler that passes no notifications on.",
					queries: eachBy("signet_bus_connected", "by")},
				{title: "There and back", unit: "s",
					about:   "A message through PostgreSQL. p99 above 0.05: give it room, or set up NATS.",
					queries: quantiles("by", "signet_bus_seconds", "{{by}} ")},
				{title: "Messages", unit: "cps",
					about: "To other servers, and from them.",
					queries: []query{{`sum by (by) (rate(signet_bus_published_total{@}[$__rate_interval]))`, "sent by {{by}}"},
						{`sum by (by) (rate(signet_bus_received_total{@}[$__rate_interval]))`, "received by {{by}}"}}},
				{title: "Lost", unit: "cps",
					about:   "Messages that were not sent or not received: their news is looked for in the database.",
					queries: rate("signet_bus_dropped_total", "by")},
			}},
		}}
}
