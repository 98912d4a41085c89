// What is being sent, in the order of each conversation: kept for this tab until it is on the
// server's disk. Files are kept in memory only.
import { effect, signal } from "@preact/signals";
import { SignetError } from "../../client/index";
import { describe } from "../../kit/describe";
import { mayPass } from "../../kit/passing";
import { unsent } from "../../kit/state/kept";
import { client, endsSession, session } from "../../kit/state/session";
import { toast } from "../../kit/Toasts";
import { time } from "../../text/clock";
import { text } from "../../text/text";
import * as conversations from "./conversations";
import { drafts } from "./drafts";
import { keyOf } from "./key";
import * as messages from "./messages";
import { nameOf } from "./people";
import { loadPolicies } from "./policies";
import { isOnScreen } from "./urgent";

/** Letter is a message that is not on the server's disk yet. */
export interface Letter {
  /** Its Request-ID: however often it is sent, the server makes one message. */
  id: string;
  /** Who sends it. */
  account: string;
  recipient: string;
  organization: string;
  body: string;
  /** The id of the message that it answers. */
  reply?: string;
  time: string;
  /** Minutes; left out, it is the organization's. */
  ttl?: number;
  dor?: boolean;
  priority?: 1;
  /** The escalation policy by which it is sent on while nobody comes. */
  escalate?: string;
  file?: { name: string; size: number; type: string };
  /** When it was tried first, as the server's clock has it, and as the computer's, which goes on in a sleep. */
  tried?: readonly [number, number];
  /**
   * Why it does not go, as the server says; "file": the file is lost; "reply": what it answers is gone; "unsure": it may
   * have been sent.
   */
  refused?: string;
}

export const outbox = signal<readonly Letter[]>(JSON.parse(sessionStorage.getItem(unsent) ?? "[]") as Letter[]);
effect(() => {
  sessionStorage.setItem(unsent, JSON.stringify(outbox.value));
  conversations.keep(outbox.value.map(keyOfLetter));
});

// What is somebody else's, who was here before, goes as soon as it is known who is signed in, or that nobody is.
effect(() => {
  const { value: who } = session;
  if (who !== undefined) outbox.value = outbox.peek().filter(({ account }) => account === who?.account.token);
});

// Files go with the page, and what is unsent with its tab.
addEventListener("beforeunload", (event) => {
  const some = outbox.value.length > 0 || [...drafts.value.values()].some(({ files }) => files);
  if (some && !endsSession()) event.preventDefault();
});

/** How much of a letter's file is sent, from 0 to 1, by the letter's id. */
export const progress = signal<ReadonlyMap<string, number>>(new Map());

const files = new Map<string, File>();
const sending = new Map<string, AbortController>(); // by the conversation's key
const sure = 23 * 3_600_000; // milliseconds in which a Request-ID is surely known: the server forgets it after 24 hours
const pause = 5_000; // milliseconds before another attempt, where the connection is there and the server is not

/** fileOf returns a letter's file, unless the page was loaded anew since. */
export function fileOf(id: string): File | undefined {
  return files.get(id);
}

/** send puts a message into the outbox, and sends what is in it. */
export function send(letter: Omit<Letter, "id" | "account" | "time" | "file">, file?: File): void {
  const account = session.value?.account.token;
  if (account === undefined) return;
  const id = crypto.randomUUID();
  const made: Letter = { ...letter, id, account, time: new Date(time()).toISOString() };
  if (file) {
    files.set(id, file);
    made.file = { name: file.name, size: file.size, type: file.type };
  }
  outbox.value = [...outbox.value, made];
  flush();
}

/** again sends one that was refused once more. */
export function again(id: string): void {
  outbox.value = outbox.value.map((letter) => {
    if (letter.id !== id) return letter;
    const { refused: _, tried: __, ...rest } = letter;
    return rest;
  });
  flush();
}

/** withoutReply sends one that was refused, as no answer to another: as a new one, with another content. */
export function withoutReply(id: string): void {
  outbox.value = outbox.value.map((letter) => {
    if (letter.id !== id) return letter;
    const { refused: _, reply: __, tried: ___, ...rest } = letter;
    const made = { ...rest, id: crypto.randomUUID() };
    const file = files.get(id);
    if (file) files.set(made.id, file);
    files.delete(id);
    return made;
  });
  flush();
}

/** discard gives up a letter, also while it is on its way. */
export function discard(id: string): void {
  const letter = outbox.value.find((l) => l.id === id);
  if (!letter) return;
  const first = waiting(keyOfLetter(letter))[0];
  remove(id);
  if (first?.id === id) sending.get(keyOfLetter(letter))?.abort();
}

/** flush sends what waits. Without a connection it waits on. */
export function flush(): void {
  for (const key of new Set(outbox.value.map(keyOfLetter))) if (!sending.has(key)) void deliver(key);
}

/** keyOfLetter names the conversation that a letter goes to. */
export function keyOfLetter({ organization, recipient }: Letter): string {
  return keyOf(organization, recipient);
}

function waiting(key: string): Letter[] {
  return outbox.value.filter((letter) => letter.refused === undefined && keyOfLetter(letter) === key);
}

/** deliver sends what waits in a conversation, one after the other. */
async function deliver(key: string): Promise<void> {
  for (let letter: Letter | undefined; (letter = waiting(key)[0]); ) {
    const { id, tried = [time(), Date.now()] } = letter;
    if (Math.max(time() - tried[0], Date.now() - tried[1]) > sure) {
      refuse(letter, "unsure");
      continue;
    }
    amend(id, { tried });
    const stop = new AbortController();
    sending.set(key, stop);
    try {
      await post(letter, stop.signal);
    } catch (error) {
      if (stop.signal.aborted) continue; // discarded
      const told = error instanceof SignetError ? error : undefined;
      // The allowance of a day comes back tomorrow, which is too late to wait for in silence.
      if (!told || (mayPass(told) && told.code !== "daily_limit")) {
        sending.delete(key);
        setTimeout(flush, pause);
        return;
      }
      if (told.code === "escalation_policy_unknown") loadPolicies(letter.organization); // it was taken away
      refuse(letter, told.code === "reply_to_unknown" ? "reply" : describe(told));
    }
  }
  sending.delete(key);
}

function amend(id: string, to: Partial<Letter>): void {
  outbox.value = outbox.value.map((letter) => (letter.id === id ? { ...letter, ...to } : letter));
}

/** refuse keeps a letter with why it does not go, and says so where its conversation does not. */
function refuse(letter: Letter, refused: string): void {
  amend(letter.id, { refused });
  const conversation = conversations.conversations.value.get(keyOfLetter(letter));
  if (conversation && isOnScreen(conversation)) return;
  const name = conversation?.entity.display_name ?? nameOf(letter.recipient) ?? text("somebody");
  toast(saidOf(refused, name), { danger: true });
}

/** saidOf says why a letter does not go; with a name, to whom. */
export function saidOf(refused: string, name = ""): string {
  if (refused === "unsure") return text(name ? "unsureTo" : "unsure", { name });
  const why = refused === "file" ? text("fileLost") : refused === "reply" ? text("replyLost") : refused;
  return text(name ? "failedTo" : "failed", { name, why });
}

async function post(letter: Letter, signal: AbortSignal) {
  const { id, recipient, organization, body, reply, ttl, dor, priority, escalate, file } = letter;
  const attachment = files.get(id);
  if (file && !attachment) return refuse(letter, "file");
  const content = { recipient, body, reply_to: reply, ttl, dor, priority, escalate, attachment };
  const arrive = messages.setOut(keyOf(organization, recipient), body);
  try {
    const sent = await client.in(organization).sendMessage(
      Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined && value !== "")) as typeof content,
      {
        request_id: id,
        response_format: "message",
        signal,
        onProgress: ({ loaded, total }) => {
          if (total) progress.value = new Map(progress.value).set(id, loaded / total);
        },
      },
    );
    arrive();
    if (sent.message) {
      messages.add(sent.message);
      conversations.note(sent.message);
    }
    remove(id);
  } finally {
    arrive();
  }
}

function remove(id: string): void {
  outbox.value = outbox.value.filter((letter) => letter.id !== id);
  files.delete(id);
  const left = new Map(progress.value);
  if (left.delete(id)) progress.value = left;
}
