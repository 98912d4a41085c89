import { useEffect, useRef } from "preact/hooks";
import { type Loaded, useLoaded } from "../kit/useLoaded";

/**
 * useWatched asks for something, and by the clock again while somebody looks at the page: so often, in milliseconds. By the
 * clock nobody is asked for a password, and what failed is asked for again only by the person.
 */
export function useWatched<T>(ask: (options: { elevate: boolean }) => Promise<T>, often: number, on: readonly unknown[]): Loaded<T> {
  const byClock = useRef(false);
  const failed = useRef(false);
  const loaded = useLoaded(() => {
    const elevate = !byClock.current;
    byClock.current = false;
    return ask({ elevate });
  }, on);
  failed.current = loaded.problem !== "";
  useEffect(() => {
    const look = () => {
      if (document.visibilityState !== "visible" || failed.current) return;
      byClock.current = true;
      loaded.reload();
    };
    const timer = setInterval(look, often);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [often, loaded.reload]);
  return loaded;
}
