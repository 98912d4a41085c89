// Types of calls and events, each taken from the OpenAPI document (schema.ts).
import type { components, operations } from "./schema.js";

/** Every schema of the OpenAPI document, by its name. */
export type Schemas = components["schemas"];

/** The calls, by their operationId. */
export type Operation = keyof operations;

/** The query parameters of a call. */
export type Query<O extends Operation> = operations[O] extends { parameters: { query?: infer Q } }
  ? [NonNullable<Q>] extends [never] ? unknown : NonNullable<Q>
  : unknown;

type Content<O extends Operation> = operations[O] extends { requestBody?: infer B }
  ? NonNullable<B> extends { content: infer C } ? C : never
  : never;
type JSONBody<O extends Operation> = Content<O> extends { "application/json": infer J } ? J : never;
type FormBody<O extends Operation> = Content<O> extends { "multipart/form-data": infer F } ? F : never;
type Files<F> = { [K in keyof F as NonNullable<F[K]> extends Blob ? K : never]: F[K] };
type WithFiles<J, F> = [keyof F] extends [never]
  ? J
  : Omit<J, keyof F> & { [K in keyof F]: F[K] | (K extends keyof J ? J[K] : never) };

/** The fields of a call's body. A file is a Blob, or a File, whose name goes with it. */
export type Body<O extends Operation> = WithFiles<JSONBody<O>, Files<FormBody<O>>>;

/** What a call answers with; undefined where it has nothing to say. */
export type Reply<O extends Operation> = operations[O] extends {
  responses: { 200: { content: { "application/json": { reply: infer R } } } };
} ? R : undefined;

type StreamEvent = Required<Schemas["StreamEvent"]["event"]>;
type KindOf<T> = T extends `tigertext:iq:${infer K}` ? K : never;

/** The kinds of event: their types on the wire without the vendor's namespace. */
export type EventKind = KindOf<keyof StreamEvent>;

/** What an event of a kind tells. */
export type EventPayload<K extends EventKind> = StreamEvent[`tigertext:iq:${K}`];

/** An event of one kind, or of any. `kind` tells which payload it has. */
export type SignetEvent<K extends EventKind = EventKind> = {
  [E in K]: {
    /** Opaque; what ackEvents takes. */
    id: string;
    kind: E;
    payload: EventPayload<E>;
    /** It stays in the account's queue until it is acknowledged. Others go to open streams only. */
    queued: boolean;
  };
}[K];

export type User = Schemas["User"];
export type Group = Schemas["Group"];
export type Message = Schemas["Message"];
export type Conversation = Schemas["Conversation"];
export type Organization = Schemas["Organization"];
export type Session = Schemas["Session"];

/** A message that is on the server's disk. */
export interface Sent {
  message_id: string;
  /** Minutes in force; -1 is forever. */
  ttl: number;
  /** Under which it was sent: another send with it makes no second message. */
  request_id: string;
  /** It had been sent before under this Request-ID. Without a meaning where the message was asked for. */
  repeated: boolean;
  /** With `response_format: "message"`. */
  message?: Message;
}

/** A group that was made. */
export interface MadeGroup {
  token: string;
  /** Empty if it has none. */
  avatar: string;
  /** With `render_entity: true`. */
  group?: Group;
}
