// Escalation policies as they are shown and changed.
import type { Schemas } from "../../client/index";
import { text } from "../../text/text";
import type { Named } from "./named";

type Stored = Schemas["EscalationPolicy"];
export type Until = Stored["until"];

/** After so many minutes a message is sent on to these. */
export interface Step {
  readonly after: number;
  readonly to: readonly Named[];
}

export type Policy = Pick<Stored, "name" | "until"> & { readonly steps: readonly Step[] };

/** A step as it is being changed. Its key stays with its place. */
export interface Draft {
  readonly key: number;
  /** As it is typed. */
  readonly after: string;
  readonly to: readonly Named[];
}

/** What the interface takes at most. */
export const mostSteps = 10;
export const mostRecipients = 10; // of a step
export const mostMinutes = 1440;
export const longestPolicyName = 64;

/** untilTitle says what ends an escalation. */
export function untilTitle(until: Until): string {
  return text(until === "confirmed" ? "escalation.confirmed" : "escalation.read");
}

/** draftsOf are the steps of a policy to change; of none, one step that is to be filled in. */
export function draftsOf(steps: readonly Step[] = [{ after: 5, to: [] }]): Draft[] {
  return steps.map(({ after, to }, key) => ({ key, after: String(after), to }));
}

const apart = 5; // minutes that a new step is after the one before it

/** withOneMore adds a step at the end. */
export function withOneMore(steps: readonly Draft[]): Draft[] {
  const after = Math.min((Number(steps.at(-1)?.after) || 0) + apart, mostMinutes);
  return [...steps, { key: Math.max(-1, ...steps.map(({ key }) => key)) + 1, after: String(after), to: [] }];
}

/** exchanged has two steps that follow each other change whom they tell: the times stay in their order. */
export function exchanged(steps: readonly Draft[], place: number, by: 1 | -1): Draft[] {
  const [one, other] = [steps[place], steps[place + by]];
  if (!one || !other) return [...steps];
  return steps.map((step) => (step === one ? { ...one, to: other.to } : step === other ? { ...other, to: one.to } : step));
}
