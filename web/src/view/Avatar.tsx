/** Avatar shows initials, on one of twelve colours that the token gives. */
export function Avatar({ name, token }: { name: string; token: string }) {
  const words = name.split(/\s+/).filter(Boolean);
  const initials = words.length > 1 ? [words[0], words.at(-1)] : words;
  const colour = [...token].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 12, 0);
  return (
    <span class={`avatar avatar-${colour}`} aria-hidden="true">
      {initials.map((word) => [...(word ?? "")][0]?.toUpperCase()).join("")}
    </span>
  );
}
