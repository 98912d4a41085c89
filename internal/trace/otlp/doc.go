// Package otlp sends the spans of package trace to a collector of OpenTelemetry: OTLP over
// HTTP, as protocol buffers.
//
// It owns what waits to be sent, and what leaves the server: of a span the name, the times,
// the ids, how it ended, and those attributes that package trace has a name for. It does not
// know what spans are about.
//
// Nothing waits for a collector. Spans wait in a bounded queue, and those that find no room
// there are dropped and counted. One goroutine sends them, some hundred at a time.
//
// The official exporter for HTTP links all of gRPC, which makes the program larger by 3.7 MB
// in place of 1.2 MB; it also does not tell how many spans it dropped.
package otlp
