import { Dialog } from "../kit/Dialog";
import { Icon } from "../kit/Icon";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";

/** Secret shows a key's secret, this once. */
export function Secret({ keyName, secret, onClose }: { keyName: string; secret: string; onClose: () => void }) {
  const copy = (words: string) => void navigator.clipboard.writeText(words).then(() => toast(text("copied")));
  return (
    <Dialog title={text("console.newSecret")} onClose={onClose}>
      <div class="secret">
        <p>{text("console.onlyOnce")}</p>
        {([["console.key", keyName], ["console.secret", secret]] as const).map(([label, value]) => (
          <p key={label}>
            <span>{text(label)}</span>
            <code>{value}</code>
            <button type="button" class="icon" aria-label={`${text("copy")}: ${text(label)}`} onClick={() => copy(value)}>
              <Icon name="copy" />
            </button>
          </p>
        ))}
      </div>
      <footer>
        <button type="button" class="primary" onClick={onClose}>{text("console.kept")}</button>
      </footer>
    </Dialog>
  );
}
