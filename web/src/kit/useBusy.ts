import { useRef, useState } from "preact/hooks";

/**
 * useBusy does one thing at a time, and nothing of what is asked for meanwhile. A button that waits is to be
 * aria-disabled: one that is disabled would lose the focus.
 */
export function useBusy(): { busy: boolean; run: (act: () => Promise<void>) => Promise<void> } {
  const [busy, setBusy] = useState(false);
  const going = useRef(false); // the state is known to the next event only
  const run = async (act: () => Promise<void>) => {
    if (going.current) return;
    going.current = true;
    setBusy(true);
    try {
      await act();
    } finally {
      going.current = false;
      setBusy(false);
    }
  };
  return { busy, run };
}
