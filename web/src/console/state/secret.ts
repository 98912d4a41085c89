// The secret of a key, or of a webhook, that was just created. The server shows it this once, so that nothing but the person puts it away:
// not another page of the console either.
import { signal } from "@preact/signals";
import type { Schemas } from "../../client/index";

/** A key with its secret. */
export interface Issued {
  api_key: string;
  api_secret: string;
  /** What the key is for. */
  label?: string | undefined;
}

/** The one that is shown; undefined while none is. */
export const issued = signal<Issued | undefined>(undefined);

/** The webhook whose secret is shown, or whose public key; undefined while none is. */
export const hooked = signal<Schemas["MadeWebhook"] | undefined>(undefined);
