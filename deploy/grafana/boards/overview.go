package main

// overview is what somebody looks at first.
func overview() board {
	return board{uid: "signet-overview", title: "Signet / Overview",
		about: "Whether an installation works, and what needs attention. The other boards say more of each part.",
		rows: []row{
			{"Does it work?", []panel{
				{title: "Servers that are ready", look: number, unit: "short",
					about:   "Servers whose /readyz answers 200.",
					queries: one(`sum(signet_ready{@})`, "")},
				{title: "Store", look: lamp, unit: "short",
					about:   "0: a server does not reach the database, or its disk.",
					queries: one(`min(signet_store_up{@})`, "")},
				{title: "Key ring", look: lamp, unit: "short",
					about:   "0: a server gets no keys, and soon nothing can be sent.",
					queries: one(`min(signet_keyring_up{@})`, "")},
				{title: "Attachments", look: lamp, unit: "short",
					about:   "0: files can neither be sent nor fetched.",
					queries: one(`min(signet_blobs_up{@})`, "")},
				{title: "Sends that fail", look: alarm, unit: "percentunit",
					about: "Share of the sends of one message, and of forwards, that were answered with a 5xx status.",
					queries: one(`sum(rate(signet_http_requests_total{@, route=~"`+sends+`", class="5xx"}[$__rate_interval])) / `+
						`sum(rate(signet_http_requests_total{@, route=~"`+sends+`"}[$__rate_interval]))`, "")},
				{title: "Time of a send (p99)", look: number, unit: "s",
					about:   "99 of 100 sends are answered within this time.",
					queries: one(quantile("0.99", "", `signet_http_request_duration_seconds`, `, route=~"`+sends+`"`), "")},
			}},
			{"What needs attention", []panel{
				{title: "Warnings", look: lines, unit: "none",
					about:   "What a server has found that only a person can repair. The text of /readyz says what to do.",
					queries: one(`signet_warning{@} == 1`, "")},
				{title: "Versions", look: lines, unit: "none",
					about:   "What runs. Several versions at once: an upgrade is under way, or was not finished.",
					queries: one(`sum by (instance, version, commit, goversion, schema) (signet_build_info{@})`, "")},
				{title: "Tasks that are late", look: alarm, unit: "short",
					about:   "Tasks of the sweep and of housekeeping that have not succeeded for too long.",
					queries: one(`sum(signet_task_late{@})`, "")},
				{title: "Programs that stopped reading", look: alarm, unit: "short",
					about:   "Accounts whose program kept up, and has been silent for an hour while events wait.",
					queries: one(`max(signet_queues_behind{@, reason="stopped"})`, "")},
				{title: "Sign-ins without an answer", look: alarm, unit: "short",
					about:   "Sign-ins of the last half hour to which a provider of identities gave no answer.",
					queries: one(`round(sum(increase(signet_identity_sign_ins_total{@, outcome="unreachable"}[30m])))`, "")},
				{title: "Clock in doubt", look: alarm, unit: "short",
					about:   "1: nothing is erased, since the clock may be wrong.",
					queries: one(`max(signet_clock_in_doubt{@})`, "")},
				{title: "Audit log changed", look: alarm, unit: "short",
					about:   "1: the audit log was changed behind the server's back.",
					queries: one(`max(signet_audit_chain_broken{@})`, "")},
				{title: "Disk that is free", look: number, unit: "percentunit",
					about:   "Of the fullest disk.",
					queries: one(`min(signet_disk_free_bytes{@} / signet_disk_size_bytes{@})`, "")},
				{title: "Next backup is due", look: number, unit: "dateTimeFromNow",
					about:   "When the next backup of the embedded store has to have begun (backup.max_age).",
					queries: one(`min(signet_backup_due_timestamp_seconds{@}) * 1000`, "")},
				{title: "Certificate ends", look: number, unit: "dateTimeFromNow",
					about:   "The one that ends first.",
					queries: one(`min(signet_tls_certificate_not_after_timestamp_seconds{@}) * 1000`, "")},
			}},
			{"How much there is to do", []panel{
				{title: "Messages sent", unit: "cps",
					about:   "Messages that were stored, forwards included, by whom they are for.",
					queries: one(`sum by (to) (rate(signet_messages_sent_total{@}[$__rate_interval]))`, "to {{to}}")},
				{title: "Calls", unit: "reqps",
					about:   "Calls that were answered, by class of status.",
					queries: one(`sum by (class) (rate(signet_http_requests_total{@}[$__rate_interval]))`, "{{class}}")},
				{title: "Streams", unit: "short",
					about:   "Event streams that are open on each server.",
					queries: one(`signet_streams{@}`, "{{instance}}")},
				{title: "Events in queues", unit: "short",
					about:   "Events that nobody has acknowledged yet.",
					queries: one(`max(signet_queue_events{@})`, "events")},
			}},
		}}
}

// sends are the routes of the calls that send messages.
const sends = `POST /v2/message|POST /v2/message/:message/forward`

// quantile asks for a quantile of a histogram, of all servers, by labels that keep their series apart.
func quantile(q, by, histogram, matchers string) string {
	if by != "" {
		by += ", "
	}
	return `histogram_quantile(` + q + `, sum by (` + by + `le) (rate(` + histogram + `_bucket{@` + matchers +
		`}[$__rate_interval])))`
}

// quantiles are the middle and the slowest hundredth of a histogram.
func quantiles(by, histogram, legend string) []query {
	return []query{{quantile("0.5", by, histogram, ""), legend + "p50"},
		{quantile("0.99", by, histogram, ""), legend + "p99"}}
}

// rate is how often something happens each second on all servers, by a label.
func rate(counter, by string) []query {
	if by == "" {
		return one(`sum(rate(`+counter+`{@}[$__rate_interval]))`, "all servers")
	}
	return one(`sum by (`+by+`) (rate(`+counter+`{@}[$__rate_interval]))`, "{{"+by+"}}")
}

// each is a gauge of each server.
func each(gauge string) []query { return one(gauge+`{@}`, "{{instance}}") }

// eachBy is a gauge of each server, by a label.
func eachBy(gauge, by string) []query { return one(gauge+`{@}`, "{{instance}} {{"+by+"}}") }

// shared is a gauge that all servers report alike, since they read it from the database.
func shared(gauge, by string) []query {
	if by == "" {
		return one(`max(`+gauge+`{@})`, "all servers")
	}
	return one(`max by (`+by+`) (`+gauge+`{@})`, "{{"+by+"}}")
}

// ago is how long ago a time was that a gauge of each server tells.
func ago(gauge, by string) []query {
	legend := "{{instance}}"
	if by != "" {
		legend += " {{" + by + "}}"
	}
	return one(`time() - (`+gauge+`{@} > 0)`, legend)
}
