import { useEffect, useState } from "preact/hooks";
import { Icon } from "../kit/Icon";

/** Filter is a search field that tells what it holds once nobody has typed for a moment. */
export function Filter({ label, onChange }: { label: string; onChange: (words: string) => void }) {
  const [words, setWords] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => onChange(words.trim()), 250);
    return () => clearTimeout(timer);
  }, [words]);
  return (
    <label class="filter">
      <Icon name="search" />
      <input type="search" aria-label={label} placeholder={label} value={words} onInput={(event) => setWords(event.currentTarget.value)} />
    </label>
  );
}
