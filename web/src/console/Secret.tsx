import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Confirm } from "../kit/Confirm";
import { Dialog } from "../kit/Dialog";
import { Icon } from "../kit/Icon";
import { save } from "../kit/save";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";
import { type Issued, issued } from "./state/secret";

/** Secret shows a key's secret, this once. It stays until the person says that it is saved. */
export function Secret({ of: key }: { of: Issued }) {
  const [leaving, setLeaving] = useState(false);
  const copying = useRef<HTMLButtonElement>(null);
  // Not the button that puts the secret away: Enter may be pressed once more than was meant.
  useLayoutEffect(() => copying.current?.focus(), []);
  const close = () => (issued.value = undefined);
  const ask = () => setLeaving(true);
  return (
    <>
      <Dialog title={text("console.newSecret")} onClose={ask} onBeside={ask}>
        <div class="secret">
          <p>{text("console.onlyOnce")}</p>
          {key.label && <p dir="auto"><strong>{key.label}</strong></p>}
          {([["console.key", key.api_key], ["console.secret", key.api_secret]] as const).map(([label, value]) => (
            <p key={label}>
              <span>{text(label)}</span>
              <code>{value}</code>
              <button type="button" class="icon" aria-label={`${text("copy")}: ${text(label)}`} title={text("copy")} onClick={() => void copy(value)}>
                <Icon name="copy" />
              </button>
            </p>
          ))}
          <div class="acts">
            <button type="button" ref={copying} onClick={() => void copy(`${key.api_key}:${key.api_secret}`)}>
              <Icon name="copy" /> {text("console.copyBoth")}
            </button>
            <button type="button" onClick={() => save(fileName(key, "txt"), new Blob([plain(key)], { type: "text/plain" }))}>
              <Icon name="download" /> {text("console.saveAsText")}
            </button>
            <button type="button" onClick={() => save(fileName(key, "env"), new Blob([environment(key)], { type: "text/plain" }))}>
              <Icon name="download" /> {text("console.saveAsVariables")}
            </button>
          </div>
          <p class="muted">{text("console.secretHint")}</p>
        </div>
        <footer>
          <button type="button" class="primary" onClick={close}>{text("console.kept")}</button>
        </footer>
      </Dialog>
      {leaving && <CloseUnsaved onBack={() => setLeaving(false)} onClose={close} />}
    </>
  );
}

/** copy puts words into the clipboard, and says whether they are there. */
export async function copy(words: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(words); // by plain HTTP a browser has no clipboard for pages
    toast(text("copied"));
  } catch {
    toast(text("console.notCopied"), { danger: true });
  }
}

/** CloseUnsaved asks before a secret is put away that nobody has said is saved. */
export function CloseUnsaved({ onBack, onClose }: { onBack: () => void; onClose: () => void }) {
  return (
    <Confirm
      title={text("console.closeUnsaved")}
      act={text("console.closeAnyway")}
      back={text("console.goBack")}
      danger
      onClose={onBack}
      onConfirm={async () => onClose()}
    >
      <p>{text("console.closeUnsavedWhy")}</p>
    </Confirm>
  );
}

/** fileName is made of what the key is for, as far as any system takes it. */
function fileName({ label }: Issued, type: "txt" | "env"): string {
  const words = (label ?? "").normalize("NFC").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return `${words || "signet-key"}.${type}`;
}

/** plain is for people. */
function plain(key: Issued): string {
  const lines = [
    ...(key.label ? [key.label] : []),
    `${text("console.server")}: ${location.origin}`,
    `${text("console.key")}: ${key.api_key}`,
    `${text("console.secret")}: ${key.api_secret}`,
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** environment is what the command line of Signet reads, and what programs are commonly configured with. */
function environment(key: Issued): string {
  return `SIGNET_URL=${location.origin}\nSIGNET_API_KEY=${key.api_key}\nSIGNET_API_SECRET=${key.api_secret}\n`;
}
