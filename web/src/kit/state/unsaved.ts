// What would be lost with the page: it is asked for before somebody leaves the page, or signs out.
import { signal } from "@preact/signals";
import type { Text } from "../../text/text";
import { draftsOf, unsent } from "./kept";
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

/** lostBySigningOut says what an account would lose by signing out here: what this page has, or the messenger keeps. */
export function lostBySigningOut(account: string): Text | undefined {
  const [first] = unsaved.value.values();
  if (first) return first;
  if (keepsUnsent(account)) return "signOutUnsent";
  return keepsDrafts(account) ? "signOutDrafts" : undefined;
}

/** keepsUnsent tells whether this tab keeps messages of an account that were not sent. */
function keepsUnsent(account: string): boolean {
  const letters = JSON.parse(sessionStorage.getItem(unsent) ?? "[]") as { account: string }[];
  return letters.some((letter) => letter.account === account);
}

/** keepsDrafts tells whether words of an account are kept that it has not finished. */
function keepsDrafts(account: string): boolean {
  const at = draftsOf(account);
  return Object.keys(localStorage).some((name) => {
    const { body } = name.startsWith(at) ? (JSON.parse(localStorage.getItem(name) ?? "{}") as { body?: string }) : {};
    return body !== undefined && body.trim() !== "";
  });
}
