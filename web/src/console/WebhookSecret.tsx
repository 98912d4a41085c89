import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Dialog } from "../kit/Dialog";
import { Icon } from "../kit/Icon";
import { text } from "../text/text";
import { CloseUnsaved, copy } from "./Secret";
import { hooked } from "./state/secret";

/**
 * WebhookSecret shows what a receiver checks signatures with: a secret this once, which stays until the person says that
 * it is saved; a public key whenever one asks.
 */
export function WebhookSecret({ of: made }: { of: Schemas["MadeWebhook"] }) {
  const [leaving, setLeaving] = useState(false);
  const copying = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => copying.current?.focus(), []); // as in Secret.tsx
  const close = () => (hooked.value = undefined);
  const ask = made.secret ? () => setLeaving(true) : close;
  const [title, value] = made.secret
    ? [text("console.secret"), made.secret] as const
    : [text("console.webhookPublicKey"), made.public_key ?? ""] as const;
  return (
    <>
      <Dialog title={text("console.webhookVerify")} onClose={ask} onBeside={ask}>
        <div class="secret">
          <p>{text(made.secret ? "console.webhookOnlyOnce" : "console.webhookPublicWhy")}</p>
          <p>
            <span>{title}</span>
            <code>{value}</code>
            <button
              type="button" class="icon" ref={copying} aria-label={`${text("copy")}: ${title}`} title={text("copy")}
              onClick={() => void copy(value)}
            >
              <Icon name="copy" />
            </button>
          </p>
        </div>
        <footer>
          <button type="button" class="primary" onClick={close}>{text("console.kept")}</button>
        </footer>
      </Dialog>
      {leaving && <CloseUnsaved onBack={() => setLeaving(false)} onClose={close} />}
    </>
  );
}
