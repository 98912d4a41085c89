package main

// calls is about requests and what is refused of them.
func calls() board {
	return board{uid: "signet-calls", title: "Signet / Calls",
		about: "Calls of the interface: how many, how fast, and which are refused.",
		rows: []row{
			{"Answers", []panel{
				{title: "By class of status", unit: "reqps",
					about:   "5xx: the log has a line with each request id. canceled: the client left.",
					queries: rate("signet_http_requests_total", "class")},
				{title: "By route", unit: "reqps",
					about:   "The ten routes that are called most.",
					queries: one(`topk(10, sum by (route) (rate(signet_http_requests_total{@}[$__rate_interval])))`, "{{route}}")},
				{title: "Failures by route", unit: "reqps",
					about: "Answers with a 5xx status.",
					queries: one(`sum by (route) (rate(signet_http_requests_total{@, class="5xx"}[$__rate_interval])) > 0`+
						` or sum(rate(signet_http_requests_total{@, class="5xx"}[$__rate_interval]))`, "{{route}}")},
				{title: "Panics", unit: "short",
					about:   "Calls that ended in a panic, in an hour: each is a defect, please report it.",
					queries: one(`sum(increase(signet_http_panics_total{@}[1h]))`, "panics")},
			}},
			{"Time", []panel{
				{title: "All calls", unit: "s",
					about:   "From the head of a request to the end of its answer, without event streams.",
					queries: quantiles("", "signet_http_request_duration_seconds", "")},
				{title: "p99 by route", unit: "s",
					about:   "The ten slowest routes.",
					queries: one(`topk(10, `+quantile("0.99", "route", "signet_http_request_duration_seconds", "")+`)`, "{{route}}")},
				{title: "In flight", unit: "short",
					about:   "Calls that are being answered, event streams included.",
					queries: each("signet_http_requests_in_flight")},
				{title: "Uploads", unit: "short",
					about:   "Attachments and pictures that are being uploaded; at most eight of a key.",
					queries: each("signet_http_uploads")},
			}},
			{"Refused", []panel{
				{title: "Failed logins", unit: "cps",
					about:   "Calls with a wrong key, secret, user name or password: somebody guesses, or a program has an old key.",
					queries: rate("signet_login_failures_total", "")},
				{title: "For a limit", unit: "cps",
					about:   "Calls refused with 429 or 503 for a limit, by its code.",
					queries: rate("signet_limited_total", "code")},
				{title: "For their origin", unit: "cps",
					about:   "Calls that a foreign page made a browser send.",
					queries: rate("signet_origin_refused_total", "")},
				{title: "Connections", unit: "cps",
					about:   "Connections closed at once, since their address had too many open.",
					queries: rate("signet_connections_refused_total", "")},
			}},
			{"Memory and sessions", []panel{
				{title: "Bodies in memory", unit: "bytes",
					about:   "Without the first 8 KiB of each; limits.body_memory_bytes at most.",
					queries: each("signet_http_body_bytes")},
				{title: "Answers in memory", unit: "bytes",
					about:   "Answers that wait for their clients; 32 MiB at most.",
					queries: each("signet_http_answer_bytes")},
				{title: "Sessions of browsers", unit: "cps",
					about:   "Opened, elevated to administrative ones, or ended by signing out.",
					queries: rate("signet_sessions_total", "act")},
			}},
		}}
}
