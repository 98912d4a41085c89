package main

// background is about what happens beside calls.
func background() board {
	return board{uid: "signet-background", title: "Signet / Background work",
		about: "The sweep, housekeeping, and work that calls left to be done.",
		rows: []row{
			{"Tasks", []panel{
				{title: "Late", unit: "short",
					about: "1: a task of the sweep has not succeeded for 10 minutes, or one of housekeeping for 3 hours; the " +
						"log says why.",
					queries: eachBy("signet_task_late", "task")},
				{title: "Last success", unit: "s",
					about:   "How long ago.",
					queries: ago("signet_task_last_success_timestamp_seconds", "task")},
				{title: "Time it took", unit: "s",
					about:   "Close to expiry.sweep: the sweep does not keep up.",
					queries: eachBy("signet_task_duration_seconds", "task")},
				{title: "Failures", unit: "cps",
					about:   "Each is tried again.",
					queries: rate("signet_task_failures_total", "task")},
			}},
			{"Work that calls left", []panel{
				{title: "Steps", unit: "cps",
					about:   "Steps of work in the background, by kind.",
					queries: rate("signet_jobs_total", "kind")},
				{title: "Steps that failed", unit: "cps",
					about:   "Each is tried again; after a minute the warning backlog says why.",
					queries: rate("signet_job_failures_total", "kind")},
				{title: "Pieces that wait", unit: "short",
					about:   "Changes of large groups, and members that still get earlier messages.",
					queries: shared("signet_pieces", "what")},
				{title: "Oldest piece", unit: "s",
					about:   "Above 60 s: it fails, or there is too much.",
					queries: shared("signet_pieces_oldest_age_seconds", "")},
			}},
			{"Duty", []panel{
				{title: "Rotas", unit: "short",
					about:   "Groups whose members change by a rota. Vacant: nobody is on duty, and administrators were told.",
					queries: shared("signet_duty_rotas", "state")},
				{title: "Hand-overs", unit: "cps",
					about:   "Groups whose members changed by their rota.",
					queries: rate("signet_duty_handovers_total", "")},
				{title: "Late hand-overs", unit: "cps",
					about:   "More than a second after their time.",
					queries: rate("signet_duty_handovers_late_total", "")},
			}},
			{"What has ended", []panel{
				{title: "Not removed yet", unit: "short",
					about:   "Counting ends at 100,000. While the clock is in doubt, more is normal.",
					queries: shared("signet_sweep_backlog", "what")},
				{title: "Oldest of it", unit: "s",
					about:   "How long ago the earliest message ended that is still on disk.",
					queries: shared("signet_sweep_oldest_age_seconds", "")},
				{title: "Orphans removed", unit: "cps",
					about:   "Files that nothing referred to. Many at once: another installation uses the same place.",
					queries: rate("signet_orphans_removed_total", "")},
			}},
		}}
}
