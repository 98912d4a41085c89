// The page is kept up to date: by the account's events, and by asking for what they may not have told.
import { batch, effect, signal } from "@preact/signals";
import { type Message, SignetError, type SignetEvent, TooManyStreamsError } from "../../client/index";
import { onAwake } from "../../kit/state/awake";
import { renew } from "../../kit/state/line";
import { client, look, offline, session } from "../../kit/state/session";
import * as conversations from "./conversations";
import { elsewhere } from "./elsewhere";
import { apply } from "./events";
import * as history from "./history";
import { keyOf } from "./key";
import { stale } from "./messages";
import { loadOrganizations } from "./organizations";
import * as originals from "./originals";
import * as outbox from "./outbox";
import * as presence from "./presence";
import * as seen from "./seen";
import * as statuses from "./statuses";
import { Tabs, type Word } from "./tabs";

const pause = 3000; // milliseconds, before a stream is opened again that was refused
const fresh = 3000; // milliseconds in which a connection is not made anew because another tab notices the same sleep

/** follow keeps the page up to date for as long as there is one; what has arrived is told. */
export async function follow(arrived: (message: Message) => void): Promise<void> {
  const before: Word[] = []; // what other tabs said while the list was being loaded
  let loaded = false;
  let newest = 0; // the list shows what came before
  let asks = false; // the next connection may have missed something
  let restart = new AbortController();
  let restarted = -Infinity;

  const take = (event: SignetEvent) => {
    if (event.queued && !first(event.id)) return; // whoever had the stream before has told it
    apply(event);
    const came = event.kind === "message" || event.kind === "group_message";
    if (came && event.payload.sort_number > newest) arrived(event.payload);
  };
  // What comes in one piece is taken at once: each event by itself would have the page drawn anew.
  const come: SignetEvent[] = [];
  const turn = new MessageChannel();
  turn.port1.onmessage = () => batch(() => come.splice(0).forEach(take));
  const receive = (event: SignetEvent) => {
    if (come.push(event) === 1) turn.port2.postMessage(undefined);
  };
  const hear = (word: Word) => {
    asks = true; // another tab has the stream
    if (!loaded) return void before.push(word);
    if (word.say === "event") return receive(word.event);
    if (word.say === "missed") return void catchUp();
    if (word.say === "read") return void askList().catch(() => undefined); // the next connection asks
    const back = offline.value && !word.offline;
    offline.value = word.offline;
    presence.here.value = word.here;
    if (back) outbox.flush();
    if (!word.offline && conversations.loading.value) void catchUp();
  };
  const state = (): Word => ({ say: "state", offline: offline.peek(), here: presence.here.peek() });
  const again = () => {
    restarted = performance.now();
    presence.forget();
    restart.abort();
  };

  const hold = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      restart = new AbortController();
      const stream = client.events({
        signal: AbortSignal.any([signal, restart.signal]),
        acknowledge: true,
        selfCopies: true,
        typing: true,
        presence: true,
        onConnect: () => {
          offline.value = false;
          if (asks || conversations.loading.value) {
            tabs.say({ say: "missed" });
            void catchUp();
          }
          asks = true;
          outbox.flush();
        },
        onDisconnect: (error) => {
          presence.forget();
          // Polls stand in for a stream that made room for another one: the server is there.
          offline.value = !(error instanceof TooManyStreamsError);
        },
      });
      try {
        for await (const event of stream) {
          // The other tabs have it before it is acknowledged.
          tabs.say({ say: "event", event });
          receive(event);
        }
        return;
      } catch (error) {
        if (signal.aborted || restart.signal.aborted) continue;
        // The session has ended, with which the page ends; unless the person has signed in again, in another tab.
        if (error instanceof SignetError && error.status === 401) await look();
        else {
          offline.value = true; // something else answers in the server's place, which may go again
          if (!(error instanceof SignetError)) reportError(error);
        }
        await new Promise((resolve) => setTimeout(resolve, pause * (1 + Math.random())));
      }
    }
  };

  const tabs = new Tabs(session.value?.account.token ?? "", {
    hold, hear, state,
    slept: () => {
      if (performance.now() - restarted <= fresh) return;
      renew(); // this tab may not have noticed
      again();
    },
  });
  effect(() => {
    if (offline.value) history.missing();
    tabs.say(state());
  });
  addEventListener("offline", () => (offline.value = true));
  onAwake((slept) => {
    if (slept) {
      if (tabs.holds) again();
      else tabs.slept();
    }
    if (loaded) void catchUp();
  });
  elsewhere(async () => {
    if (!tabs.holds || offline.value) return;
    await askList();
    tabs.say({ say: "read" });
  });

  await conversations.load().catch(() => (offline.value = true)); // what is missed is loaded when there is a connection
  loaded = true;
  outbox.flush(); // what a reload found unsent: no connection is made where another tab has the stream
  newest = conversations.newestFirst.value[0]?.sort_number ?? 0;
  for (const word of before.splice(0)) hear(word);
  await tabs.takeTurns();
}

const told = new Set<string>();
const remembered = 10_000;

/** first tells whether a queued event is told for the first time. What was not acknowledged is told again. */
function first(id: string): boolean {
  if (told.has(id)) return false;
  told.add(id);
  for (const oldest of told) {
    if (told.size <= remembered) break;
    told.delete(oldest);
  }
  return true;
}

/** How often the page is asking for what it may have missed. */
export const catching = signal(0);

let wanted = false;
let running = false;

/** catchUp asks for what events may not have told. What is missed while it asks is asked for after that. */
async function catchUp(): Promise<void> {
  wanted = true;
  if (running) return;
  running = true;
  catching.value++;
  while (wanted) {
    wanted = false;
    await ask().catch(() => undefined); // the connection was lost again: the next one asks
  }
  catching.value--;
  running = false;
}

async function ask(): Promise<void> {
  history.missed();
  statuses.forget();
  originals.askAgain();
  await seen.settle();
  await Promise.all([conversations.load(), loadOrganizations()]);
  await openAgain();
}

/** askList asks what is unread, and for the messages of the open conversation that are not known any more. */
async function askList(): Promise<void> {
  await conversations.load();
  const open = conversations.current.value;
  if (open && stale.has(keyOf(open.organization_id, open.entity.token))) await openAgain();
}

async function openAgain(): Promise<void> {
  const open = conversations.current.value;
  if (open) await history.open(open);
}
