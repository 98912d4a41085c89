// Who is signed in.
import { signal } from "@preact/signals";
import { Client, type Session, SignetError } from "../client/index";

/** With the session of the page. */
export const client = new Client();

/** Undefined until it is known, null where nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);

/** There is no connection to the server. */
export const offline = signal(false);

const pause = 3000; // milliseconds, between questions to a server that gives no answer

/** resume finds out whether the browser has a session. It asks until there is an answer. */
export async function resume(): Promise<void> {
  try {
    session.value = await client.getSession();
    offline.value = false;
  } catch (error) {
    if (error instanceof SignetError && error.status === 401) {
      session.value = null;
      return;
    }
    offline.value = true;
    setTimeout(() => void resume(), pause);
  }
}

export async function signIn(username: string, password: string): Promise<void> {
  await client.startSession({ username, password });
  await resume();
}

/** signOut ends the session, and forgets everything with the page. Without a connection it throws, and nothing ends. */
export async function signOut(): Promise<void> {
  await client.endSession().catch((error: unknown) => {
    if (!(error instanceof SignetError)) throw error; // it had ended
  });
  sessionStorage.clear();
  location.reload();
}
