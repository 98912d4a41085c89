import { coloured } from "./code/colour";
import { Copy } from "./Copy";

/** Source shows code, or what stands for an answer, in colours and with a button that copies it. */
export function Source({ words, language, label }: { words: string; language: string; label: string }) {
  return (
    <div class="source" translate={false}>
      <pre tabIndex={0} role="group" aria-label={label}>
        <code>
          {coloured(words, language).map(([kind, part], i) => (kind ? <span key={i} class={`is-${kind}`}>{part}</span> : part))}
        </code>
      </pre>
      <Copy words={words} />
    </div>
  );
}
