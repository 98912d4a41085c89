// Who is signed in. All tabs have one session, and tell each other when it begins and ends.
import { signal } from "@preact/signals";
import { Client, type ClientOptions, ConnectionError, type Credentials, type Session, SignetError } from "../../client/index";
import { onAwake } from "./awake";
import { keepOnly, owner } from "./kept";
import { ask } from "./line";
import { withdrawOthers } from "./notifications";

/** How the calls of a page get an elevated session: before they are made, and where one is refused for all that. */
type Elevation = Required<Pick<ClientOptions, "beforeCall" | "onElevationRequired">>;

/** Undefined where the page does not have its session elevated. */
let elevation: Elevation | undefined;

/** elevateBy says how calls that need an elevated session get one. */
export function elevateBy(by: Elevation): void {
  elevation = by;
}

/** With the session of the page. */
export const client = new Client({
  beforeCall: async (call) => {
    mustBeOurs(call.method);
    await elevation?.beforeCall(call);
  },
  onElevationRequired: async (refusal) => (await elevation?.onElevationRequired(refusal)) ?? false,
  fetch: async (input, init) => {
    mustBeOurs(init?.method);
    const answer = await ask(input, init);
    if (session.value && (answer.status === 401 || (answer.status === 403 && (await lacksFactor(answer))))) void look();
    return answer;
  },
});

/**
 * mustBeOurs throws where a call would do something in the name of somebody else, who has signed in in another tab while
 * this one has not found out yet. Files are not sent by fetch, and other calls may wait a while before they are repeated.
 */
function mustBeOurs(method = "GET"): void {
  if (method === "GET" || !session.value || session.value.account.token === owner()) return;
  void look();
  throw new ConnectionError("the session is somebody else's");
}

/** lacksFactor tells whether a call was refused since the organization requires a second factor by now. */
async function lacksFactor(answer: Response): Promise<boolean> {
  return (await answer.clone().text()).includes('"second_factor_required"');
}

/** Undefined until it is known, null where nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);

/** There is no connection to the server. */
export const offline = signal(false);

const endedMark = "signet-ended";

/** The session that this tab had has ended by itself, or somewhere else. */
export const ended = signal(sessionStorage.getItem(endedMark) !== null);
sessionStorage.removeItem(endedMark);

const tabs = new BroadcastChannel("signet-session");
tabs.onmessage = () => void resume();
onAwake((slept) => slept && void look()); // a session may have ended meanwhile, or be somebody else's

// Milliseconds between questions to a server that gives no answer, at least; and where it asks for a longer time.
const pause = 3000;
const longestPause = 60_000;
let asking: ReturnType<typeof setTimeout> | undefined;

/** resume finds out whether the browser has a session. It asks until there is an answer. */
export async function resume(): Promise<void> {
  try {
    const found = await client.getSession();
    if (!found) return nobody();
    const { token } = found.account;
    if (session.value && session.value.account.token !== token) return forget(); // somebody else's
    keepOnly(token);
    session.value = found;
    offline.value = false;
    void withdrawOthers(token);
  } catch (error) {
    if (error instanceof SignetError && error.status === 401) return nobody();
    offline.value = true;
    clearTimeout(asking);
    const wait = (error instanceof SignetError && error.retryAfter) || pause;
    // Not all pages at once, and each as one, however often it was asked to.
    asking = setTimeout(() => void resume(), Math.min(wait, longestPause) * (1 + Math.random()));
  }
}

/** nobody is signed in: from the beginning, or since the session of the tab ended. */
function nobody(): void {
  if (session.value) {
    tabs.postMessage(null); // the others need not ask for anything before they find out
    return forget(true);
  }
  keepOnly();
  session.value = null;
  offline.value = false;
  void withdrawOthers();
}

let looking = false;

/** look resumes, once for all that was refused meanwhile. */
export async function look(): Promise<void> {
  if (looking) return;
  looking = true;
  await resume();
  looking = false;
}

/** The page is being left: what ends with it, such as its stream, is no news. */
let leaving = false;

/** endsSession tells whether the page is left because its session has ended. */
export function endsSession(): boolean {
  return leaving;
}

/**
 * forget leaves nothing of a session in the tab, and begins anew; told, with a word of why. What is kept of whoever has
 * signed in since stays. What the system shows of it goes as soon as the new page knows who is signed in.
 */
function forget(told = false): void {
  if (leaving) return;
  leaving = true;
  sessionStorage.clear();
  const now = owner();
  keepOnly(now === session.value?.account.token ? undefined : now);
  if (told) sessionStorage.setItem(endedMark, "");
  location.reload();
}

/** signIn takes a name and a password, or a key and its secret. */
export async function signIn(by: { username: string; password: string } | Credentials): Promise<void> {
  await client.startSession(by);
  await resumeAll();
}

/** resumeAll resumes after what changed the session, in the other tabs too. */
export async function resumeAll(): Promise<void> {
  await resume();
  tabs.postMessage(null);
}

/**
 * signOut ends the session, and forgets everything with the page. Where the server does not end it, or its answer is
 * lost, signOut throws and the page goes on; unless the session has ended all the same.
 */
export async function signOut(): Promise<void> {
  leaving = true;
  await client.endSession().catch((error: unknown) => {
    if (error instanceof SignetError && error.status === 401) return; // it had ended
    leaving = false;
    void look(); // its end may have been no news while the page was being left
    throw error;
  });
  leaving = false;
  tabs.postMessage(null);
  forget();
}
