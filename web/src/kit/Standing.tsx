import { signal } from "@preact/signals";
import type { ComponentType } from "preact";

/** What a page shows besides all else, in dialogs too. It learns in which dialog it stands; undefined: in none. */
export const standing = signal<ComponentType<{ dialog?: string | undefined }> | undefined>(undefined);

/** Standing is where that is shown. */
export function Standing({ dialog }: { dialog?: string }) {
  const Of = standing.value;
  return Of ? <Of dialog={dialog} /> : null;
}
