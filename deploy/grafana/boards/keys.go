package main

// keys is about what messages are sealed with, and about signs of tampering.
func keys() board {
	return board{uid: "signet-keys", title: "Signet / Keys and tampering",
		about: "The key ring, the store of attachments, and signs that somebody changed data behind the servers' backs.",
		rows: []row{
			{"Key ring", []panel{
				{title: "Up", unit: "short",
					about:   "0: soon nothing can be sent.",
					queries: each("signet_keyring_up")},
				{title: "Last known whole", unit: "s",
					about:   "How long ago each server knew the whole ring.",
					queries: ago("signet_keyring_checked_timestamp_seconds", "")},
				{title: "Keys", unit: "short",
					about:   "One for each organization and day on which messages end, and some more; retired: about to be destroyed.",
					queries: []query{{`max(signet_keyring_keys{@})`, "keys"}, {`max(signet_keyring_retired_keys{@})`, "retired"}}},
				{title: "Destroyed", unit: "cps",
					about:   "Keys, with everything that was sealed with them.",
					queries: rate("signet_keyring_destroyed_total", "")},
				{title: "Copy is complete", unit: "short",
					about:   "0: the copy of the ring lacks keys (keyring.copy).",
					queries: each("signet_keyring_copy_up")},
				{title: "Attachments are there", unit: "short",
					about:   "0: files can neither be sent nor fetched.",
					queries: each("signet_blobs_up")},
			}},
			{"Tampering", []panel{
				{title: "Audit log changed", unit: "short",
					about:   "1: run signet audit verify, which says where.",
					queries: each("signet_audit_chain_broken")},
				{title: "Forged rows", unit: "short",
					about:   "Rows that give access and that no server wrote, read in an hour.",
					queries: one(`sum by (instance) (increase(signet_rows_forged_total{@}[1h]))`, "{{instance}}")},
			}},
		}}
}
