package api

// costOfIDs is what a call costs beyond its first token where it names or lists so many
// accounts, groups, messages or events.
func costOfIDs(n int) int { return n / 50 }
