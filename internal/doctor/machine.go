package doctor

import (
	"time"
)

const (
	// leastFiles is the limit of open files below which a server is soon out of them: some
	// thousand streams, with the store's and the database's connections.
	leastFiles = 4096
	// zoneVariable names the time zone of a program.
	zoneVariable = "TZ"
)

// machine looks at what the server gets of its machine.
func (e *examination) machine() {
	if e.Server == nil || e.Server.MostFiles == 0 { // else it is known of the server itself
		if limit, ok := openFiles(); ok && limit < leastFiles {
			e.find("machine.files", "a program that is started like this one may have %d files open, fewer than %d", limit,
				leastFiles)
		}
	}
	if e.Getenv == nil {
		return
	}
	if zone := e.Getenv(zoneVariable); zone != "" && zone[0] != ':' && zone[0] != '/' {
		if _, err := time.LoadLocation(zone); err != nil {
			e.find("machine.zone", "TZ is %q, which this machine does not know: times in the log are UTC", zone)
		}
	}
}
