import type { Schemas } from "../client/index";
import { Dialog } from "../kit/Dialog";
import { Icon } from "../kit/Icon";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";

/** WebhookSecret shows what a receiver checks signatures with: a secret this once, a public key whenever one asks. */
export function WebhookSecret({ of: made, onClose }: { of: Schemas["MadeWebhook"]; onClose: () => void }) {
  const [title, value] = made.secret
    ? [text("console.secret"), made.secret] as const
    : [text("console.webhookPublicKey"), made.public_key ?? ""] as const;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      toast(text("copied"));
    } catch {
      toast(text("console.notCopied"), { danger: true });
    }
  };
  return (
    <Dialog title={text("console.webhookVerify")} onClose={onClose}>
      <div class="secret">
        <p>{text(made.secret ? "console.webhookOnlyOnce" : "console.webhookPublicWhy")}</p>
        <p>
          <span>{title}</span>
          <code>{value}</code>
          <button type="button" class="icon" aria-label={`${text("copy")}: ${title}`} title={text("copy")} onClick={() => void copy()}>
            <Icon name="copy" />
          </button>
        </p>
      </div>
      <footer>
        <button type="button" class="primary" onClick={onClose}>{text("console.kept")}</button>
      </footer>
    </Dialog>
  );
}
