// What would be lost with the page: it is asked for before somebody leaves the page, or signs out.
import { signal } from "@preact/signals";
import type { Text } from "../../text/text";
import { endsSession } from "./session";

/** What there is, by its name, each with what is said of it to who signs out. */
export const unsaved = signal<ReadonlyMap<string, Text>>(new Map());

/** keepUnsaved has it asked for something before it is lost. */
export function keepUnsaved(name: string, why: Text): void {
  unsaved.value = new Map([...unsaved.value, [name, why]]);
}

/** forgetUnsaved is for what is done, or saved. */
export function forgetUnsaved(name: string): void {
  unsaved.value = new Map([...unsaved.value].filter(([one]) => one !== name));
}

addEventListener("beforeunload", (event) => {
  // What a session shows must go with it, whoever is at the device.
  if (unsaved.value.size > 0 && !endsSession()) event.preventDefault();
});
