// Sounds, made of tones: there is no file to load. Browsers let a page sound from somebody's first act in it on.
import { signal } from "@preact/signals";

interface Tone {
  readonly hertz: number;
  /** Seconds after the sound began. */
  readonly at: number;
  /** Seconds in which it dies away. */
  readonly lasts: number;
  /** From 0 to 1. */
  readonly loud: number;
  readonly shape: OscillatorType;
}

const sounds = {
  chime: [
    { hertz: 880, at: 0, lasts: 0.5, loud: 0.5, shape: "sine" },
    { hertz: 1318.5, at: 0.16, lasts: 0.8, loud: 0.5, shape: "sine" },
  ],
  bell: [
    { hertz: 1046.5, at: 0, lasts: 1.2, loud: 0.5, shape: "sine" },
    { hertz: 2790, at: 0, lasts: 0.5, loud: 0.15, shape: "sine" },
  ],
  knock: [
    { hertz: 196, at: 0, lasts: 0.12, loud: 0.9, shape: "triangle" },
    { hertz: 196, at: 0.18, lasts: 0.12, loud: 0.9, shape: "triangle" },
  ],
  alarm: [0, 0.5, 1].flatMap((at) => [
    { hertz: 988, at, lasts: 0.22, loud: 0.4, shape: "square" },
    { hertz: 784, at: at + 0.22, lasts: 0.22, loud: 0.4, shape: "square" },
  ]),
} as const satisfies Record<string, readonly Tone[]>;

export type Sound = "none" | keyof typeof sounds;

const patience = 5000; // milliseconds after which the browser does not let the page sound: later it would be no sign

/** The browser did not let the page sound when it should have. */
export const blocked = signal(false);

let context: AudioContext | undefined;
let playing = 0;

/** wake reports whether the browser lets the page sound. */
export async function wake(): Promise<boolean> {
  let late: ReturnType<typeof setTimeout> | undefined;
  try {
    context ??= new AudioContext();
    const given = new Promise<boolean>((resolve) => (late = setTimeout(resolve, patience, false)));
    blocked.value = !(await Promise.race([context.resume().then(() => true), given]));
  } catch {
    blocked.value = true; // it has no way to sound
  }
  clearTimeout(late);
  rest();
  return !blocked.value;
}

/** rest leaves the device's loudspeaker alone while there is nothing to be heard. */
function rest(): void {
  if (playing === 0) context?.suspend().catch(() => undefined);
}

/** play plays a sound, as soon as the browser lets it; unless that is too late. */
export async function play(sound: Sound): Promise<void> {
  if (sound === "none") return;
  playing++;
  try {
    if ((await wake()) && context) await sing(context, sounds[sound]);
  } finally {
    playing--;
    rest();
  }
}

/** sing plays tones, and returns when the last of them ends. */
async function sing(on: AudioContext, tones: readonly Tone[]): Promise<void> {
  const all = new GainNode(on);
  all.connect(on.destination);
  const begin = on.currentTime + 0.05;
  const ended = tones.map(({ hertz, at, lasts, loud, shape }) => {
    const tone = new OscillatorNode(on, { type: shape, frequency: hertz });
    const volume = new GainNode(on, { gain: 0 });
    tone.connect(volume).connect(all);
    volume.gain.setValueAtTime(0, begin + at);
    volume.gain.linearRampToValueAtTime(loud, begin + at + 0.01);
    volume.gain.exponentialRampToValueAtTime(0.001, begin + at + lasts);
    tone.start(begin + at);
    tone.stop(begin + at + lasts);
    return new Promise((resolve) => (tone.onended = resolve));
  });
  await Promise.all(ended);
  all.disconnect();
}
