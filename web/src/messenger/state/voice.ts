// Of all tabs one sounds: the one that was used last, of those that the browser lets.
import { wake } from "./sounds";

const name = "signet-voice";
const { locks } = navigator as { locks?: LockManager }; // none without a secure connection: each tab sounds then

let awake = false; // the browser lets this tab sound
let has = false;
let waiting = new AbortController();
let release = () => {};

/** hasVoice tells whether this is the tab that sounds. */
export function hasVoice(): boolean {
  return has;
}

async function hold(by: LockOptions): Promise<void> {
  if (!locks) return void (has = true);
  try {
    await locks.request(name, by, () => {
      has = true;
      return new Promise<void>((resolve) => (release = resolve));
    });
  } catch {
    if (by.signal?.aborted) return; // it waits no more
    has = false; // another tab is being used
    wait();
  }
}

/** wait has the voice when the tab that has it is closed. */
function wait(): void {
  waiting = new AbortController();
  void hold({ signal: waiting.signal });
}

/** take has the voice at once. */
function take(): void {
  if (!awake || has) return;
  waiting.abort();
  void hold({ steal: true });
}

/** leave lets another tab have the voice: this one is about to stand still. */
function leave(): void {
  if (!awake) return;
  waiting.abort();
  has = false;
  release();
}

const acts = ["pointerup", "keydown", "click"];

/** begin asks the browser whether the page may sound, in the act of a person who uses it. */
async function begin(): Promise<void> {
  if (awake || !(await wake())) return; // asked again at the next act
  if (awake) return;
  awake = true;
  for (const act of acts) removeEventListener(act, onAct, true);
  if (document.hasFocus()) take();
  else wait();
}

const onAct = () => void begin();
for (const act of acts) addEventListener(act, onAct, true);
addEventListener("focus", take);
document.addEventListener("freeze", leave);
document.addEventListener("resume", () => awake && wait());
addEventListener("pagehide", ({ persisted }) => persisted && leave()); // it may come back
addEventListener("pageshow", ({ persisted }) => persisted && awake && wait());
