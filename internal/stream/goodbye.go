package stream

import (
	"time"

	"signet/internal/live"
	"signet/internal/model"
)

// crowdedOutWait is how long the reader of a stream is to wait which was closed because its
// account opened more than it may have (contract, limits). One that came back at once would
// close another reader's stream, whose client would do the same, for ever.
const crowdedOutWait = time.Minute

// goodbye is the last word on a stream that the server ends: where its client is to connect
// again at once, because the server stops, and where it is to wait. Those that end with their
// key hear nothing.
func goodbye(sink Sink, why live.Reason) error {
	last := &model.Event{ID: live.NewID(), Kind: model.EventReconnect}
	switch why {
	case live.Shutdown:
	case live.Replaced:
		last = advisory("too_many_streams", nil)
		if err := sink.Retry(crowdedOutWait); err != nil {
			return err
		}
	default:
		return nil
	}
	if err := sink.Event(last); err != nil {
		return err
	}
	return sink.Flush()
}
