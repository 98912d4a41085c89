// The secret of a key that was just created. The server shows it this once, so that nothing but the person puts it away:
// not another page of the console either.
import { signal } from "@preact/signals";

/** A key with its secret. */
export interface Issued {
  api_key: string;
  api_secret: string;
  /** What the key is for. */
  label?: string | undefined;
}

/** The one that is shown; undefined while none is. */
export const issued = signal<Issued | undefined>(undefined);
