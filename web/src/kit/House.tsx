import { useState } from "preact/hooks";
import { Logo } from "./Logo";
import { brand, siteName } from "./state/brand";

/** Mark is the logo of the house, in a box that it fills as far as it can; the sign of Signet where there is none. */
export function Mark() {
  const [broken, setBroken] = useState(false);
  if (!brand.value?.logo || broken) return <Logo />;
  return <img class="house-logo" src="/v2/brand/logo" alt="" onError={() => setBroken(true)} />;
}

/** House is the line at the head of a page that says whose it is; nothing where nobody has said so. */
export function House() {
  if (!brand.value?.name && !brand.value?.logo) return null;
  return (
    <p class="house" title={siteName()}>
      <Mark /> <span dir="auto">{siteName()}</span>
    </p>
  );
}
