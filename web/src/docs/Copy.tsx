import { useState } from "preact/hooks";
import { Icon } from "../kit/Icon";
import { text } from "../text/text";

/** Copy puts words into the clipboard, as far as the browser lets pages do that: by HTTPS, or on the machine itself. */
export function Copy({ words }: { words: string }) {
  const [copied, setCopied] = useState(false);
  if (!("clipboard" in navigator)) return null;
  const copy = () => void navigator.clipboard.writeText(words).then(() => setCopied(true), () => setCopied(false));
  return (
    <span class="copy">
      <span role="status" class="unseen">
        {copied && text("copied")}
      </span>
      <button
        type="button"
        class="icon"
        aria-label={text("docs.copy")}
        title={text("docs.copy")}
        onClick={copy}
        onBlur={() => setCopied(false)}
      >
        <Icon name={copied ? "check" : "copy"} />
      </button>
    </span>
  );
}
