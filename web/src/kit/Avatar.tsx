import { useState } from "preact/hooks";

/** Avatar shows a picture or, without one, initials on one of twelve colours that the token gives. */
export function Avatar({ name, token, picture }: { name: string; token: string; picture?: string | undefined }) {
  const [broken, setBroken] = useState("");
  const own = picture && URL.canParse(picture) ? new URL(picture) : undefined;
  // Pictures of other hosts are not loaded: they would learn who looks. Nor is another path of this one: it would be
  // asked for in the name of who looks.
  if (own?.host === location.host && /^\/v2\/avatar\/[\da-f-]+$/.test(own.pathname) && broken !== picture) {
    return <img class="avatar" src={own.pathname} alt="" onError={() => setBroken(picture ?? "")} />;
  }
  const words = name.split(/\s+/).filter(Boolean);
  const initials = words.length > 1 ? [words[0], words.at(-1)] : words;
  const colour = [...token].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 12, 0);
  return (
    <span class={`avatar avatar-${colour}`} aria-hidden="true">
      {initials.map((word) => [...(word ?? "")][0]?.toUpperCase()).join("")}
    </span>
  );
}
