import { signal } from "@preact/signals";
import type { ComponentType, FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";
import { describe } from "./describe";
import { toast } from "./Toasts";

/**
 * later makes a component of one whose script is not among the page's own. Until that has come, nothing is shown; where
 * it does not come, that is said, and a dialog closes.
 */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): FunctionComponent<P> {
  const come = signal<ComponentType<P>>();
  return function Later(props: P) {
    const Shown = come.value;
    useEffect(() => {
      if (come.peek()) return;
      load().then(
        (one) => (come.value = one),
        (error: unknown) => {
          toast(describe(error), { danger: true });
          if ("onClose" in props && typeof props.onClose === "function") props.onClose();
        },
      );
    }, []);
    return Shown ? <Shown {...props} /> : null;
  };
}
