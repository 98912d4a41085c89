package otlp

import (
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	wire "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"signet/internal/trace"
)

// allowed are the names of the attributes that leave the server.
var allowed = trace.Keys()

// origin says which server spans are of.
func origin(o Options) *resource.Resource {
	return &resource.Resource{Attributes: []*common.KeyValue{
		pair("service.name", o.Service), pair("service.version", o.Version), pair("service.instance.id", o.Instance),
		pair("telemetry.sdk.name", "opentelemetry"), pair("telemetry.sdk.language", "go"),
	}}
}

// encode writes spans as a request to a collector. Nothing is written that is not named here:
// no event, no description of a status, no tracestate, no attribute that is not allowed.
func encode(from *resource.Resource, spans []sdk.ReadOnlySpan) *collector.ExportTraceServiceRequest {
	out := make([]*wire.Span, 0, len(spans))
	for _, span := range spans {
		out = append(out, encodeSpan(span))
	}
	return &collector.ExportTraceServiceRequest{ResourceSpans: []*wire.ResourceSpans{{
		Resource:   from,
		ScopeSpans: []*wire.ScopeSpans{{Scope: &common.InstrumentationScope{Name: "signet"}, Spans: out}},
	}}}
}

func encodeSpan(span sdk.ReadOnlySpan) *wire.Span {
	is := span.SpanContext()
	traceID, spanID := is.TraceID(), is.SpanID()
	out := &wire.Span{
		TraceId: traceID[:], SpanId: spanID[:], Name: span.Name(), Kind: kindOf(span.SpanKind()),
		StartTimeUnixNano: uint64(span.StartTime().UnixNano()), EndTimeUnixNano: uint64(span.EndTime().UnixNano()),
		Flags: uint32(is.TraceFlags()), Status: &wire.Status{},
	}
	if parent := span.Parent(); parent.SpanID().IsValid() {
		id := parent.SpanID()
		out.ParentSpanId = id[:]
	}
	if span.Status().Code == codes.Error {
		out.Status.Code = wire.Status_STATUS_CODE_ERROR
	}
	for _, a := range span.Attributes() {
		if slices.Contains(allowed, string(a.Key)) {
			out.Attributes = append(out.Attributes, encodeAttribute(a))
		}
	}
	for _, link := range span.Links() {
		trace, span := link.SpanContext.TraceID(), link.SpanContext.SpanID()
		out.Links = append(out.Links, &wire.Span_Link{TraceId: trace[:], SpanId: span[:],
			Flags: uint32(link.SpanContext.TraceFlags())})
	}
	return out
}

func encodeAttribute(a attribute.KeyValue) *common.KeyValue {
	if a.Value.Type() == attribute.INT64 {
		return &common.KeyValue{Key: string(a.Key),
			Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: a.Value.AsInt64()}}}
	}
	return pair(string(a.Key), a.Value.AsString())
}

func pair(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func kindOf(kind oteltrace.SpanKind) wire.Span_SpanKind {
	switch kind {
	case oteltrace.SpanKindServer:
		return wire.Span_SPAN_KIND_SERVER
	case oteltrace.SpanKindClient:
		return wire.Span_SPAN_KIND_CLIENT
	case oteltrace.SpanKindProducer:
		return wire.Span_SPAN_KIND_PRODUCER
	case oteltrace.SpanKindConsumer:
		return wire.Span_SPAN_KIND_CONSUMER
	}
	return wire.Span_SPAN_KIND_INTERNAL
}
