// What somebody wants to hear of on this device. It is kept for each account; what is muted, the server keeps.
import { effect, signal } from "@preact/signals";
import type { Conversation, Message } from "../../client/index";
import { session } from "../../kit/state/session";
import { time } from "../../text/clock";
import { keyOf } from "./key";
import type { Sound } from "./sounds";

/** Hours in which nothing sounds, by the clock where the computer is: "22:00". The same twice is all day. */
export interface Quiet {
  readonly from: string;
  readonly to: string;
  /** Urgent messages are heard all the same. */
  readonly through: boolean;
}

export interface Hearing {
  readonly urgent: Sound;
  readonly other: Sound;
  readonly vibrate: boolean;
  readonly quiet?: Quiet | undefined;
  /** Conversations of which nothing is heard, by their keys. The others that are muted are heard where it is urgent. */
  readonly silent: readonly string[];
}

const usual: Hearing = { urgent: "chime", other: "none", vibrate: true, silent: [] };

/** stored is under what name the browser keeps the choices of whoever is signed in. */
function stored(): string {
  return `signet-hearing-${session.value?.account.token ?? ""}`;
}

function kept(): Hearing {
  return { ...usual, ...(JSON.parse(localStorage.getItem(stored()) ?? "{}") as Partial<Hearing>) };
}

export const hearing = signal<Hearing>(usual);
effect(() => void (hearing.value = kept()));
addEventListener("storage", () => (hearing.value = kept())); // in another tab

/** choose keeps choices. */
export function choose(some: Partial<Hearing>): void {
  const chosen = { ...kept(), ...some };
  localStorage.setItem(stored(), JSON.stringify(chosen));
  hearing.value = chosen;
}

/** Of which messages of a conversation somebody wants to hear. */
export type Level = "all" | "urgent" | "none";

/** levelOf is "none" of muted conversations only: what was unmuted on another device is heard here too. */
export function levelOf({ muted, organization_id, entity }: Conversation): Level {
  if (!muted) return "all";
  return hearing.value.silent.includes(keyOf(organization_id, entity.token)) ? "none" : "urgent";
}

/** silence has nothing heard of a conversation that is muted, not even what is urgent; or else just that. */
export function silence(key: string, none: boolean): void {
  const others = kept().silent.filter((one) => one !== key);
  choose({ silent: none ? [...others, key] : others });
}

/** isWanted tells whether somebody wants to be told of a message, at any hour. */
export function isWanted({ priority, muted }: Message, conversation: Conversation | undefined): boolean {
  if (session.value?.account.dnd) return false;
  const level = conversation ? levelOf(conversation) : muted ? "urgent" : "all";
  return level === "all" || (level === "urgent" && priority > 0);
}

/** mayDisturb tells whether a message may make itself heard now. */
export function mayDisturb(message: Message, conversation: Conversation | undefined): boolean {
  const { quiet } = hearing.value;
  return isWanted(message, conversation) && (!quiet || !isWithin(quiet) || (quiet.through && message.priority > 0));
}

function isWithin({ from, to }: Quiet): boolean {
  const now = new Date(time());
  const at = [now.getHours(), now.getMinutes()].map((n) => String(n).padStart(2, "0")).join(":");
  return from < to ? from <= at && at < to : from <= at || at < to;
}
