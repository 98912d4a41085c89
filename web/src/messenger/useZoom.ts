import { useRef, useState } from "preact/hooks";
import { held, type Look, moved, whole, zoomed } from "./zoom";

const swipe = 60; // pixels sideways that lead to another picture
const stride = 80; // pixels that an arrow moves
const step = 1.5; // by a key
const closer = 2.5; // by a double click

/** useZoom has a picture made larger and moved: by wheel, pinch, drag and key. A swipe over the whole of it leads on. */
export function useZoom(id: string, onSwipe: (by: 1 | -1) => void) {
  const [last, setLast] = useState({ id, look: whole });
  const lookIn = (one: typeof last) => one.id === id ? one.look : whole; // another picture is whole again
  const look: Look = lookIn(last);
  const stage = useRef<HTMLDivElement>(null);
  const image = useRef<HTMLImageElement>(null);
  const fingers = useRef(new Map<number, { x: number; y: number }>());
  const begun = useRef<{ x: number; y: number } | undefined>(undefined); // where one finger came down alone

  const set = (change: (from: Look) => Look) => setLast((from) => {
    const { offsetWidth: width = 0, offsetHeight: height = 0 } = image.current ?? {};
    const { clientWidth = 0, clientHeight = 0 } = stage.current ?? {};
    return { id, look: held(change(lookIn(from)), { width, height }, { width: clientWidth, height: clientHeight }) };
  });
  const middle = (x: number, y: number) => {
    const { left = 0, top = 0, width = 0, height = 0 } = stage.current?.getBoundingClientRect() ?? {};
    return { x: x - left - width / 2, y: y - top - height / 2 };
  };
  const by = (factor: number, at?: { x: number; y: number }) => set((from) => zoomed(from, factor, at));

  /** press does what a key means; false where it means nothing. */
  const press = (key: string): boolean => {
    const way = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key];
    if (key === "+" || key === "=") by(step);
    else if (key === "-") by(1 / step);
    else if (key === "0") set(() => whole);
    else if (way && look.scale > 1) set((from) => moved(from, (way[0] ?? 0) * stride, (way[1] ?? 0) * stride));
    else if (key === "ArrowLeft") onSwipe(-1);
    else if (key === "ArrowRight") onSwipe(1);
    else return false;
    return true;
  };

  const move = (event: PointerEvent) => {
    const all = fingers.current;
    const before = all.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const other = [...all].find(([pointer]) => pointer !== event.pointerId)?.[1];
    all.set(event.pointerId, now);
    if (other) {
      const apart = Math.hypot(before.x - other.x, before.y - other.y) || 1;
      by(Math.hypot(now.x - other.x, now.y - other.y) / apart, middle((now.x + other.x) / 2, (now.y + other.y) / 2));
    } else if (look.scale > 1) {
      set((from) => moved(from, now.x - before.x, now.y - before.y));
    }
  };
  const release = (event: PointerEvent) => {
    const from = begun.current;
    fingers.current.delete(event.pointerId);
    begun.current = undefined;
    if (!from || look.scale > 1) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (Math.abs(dx) > swipe && Math.abs(dx) > 2 * Math.abs(dy)) onSwipe(dx < 0 ? 1 : -1);
  };
  const handlers = {
    onWheel: (event: WheelEvent) => {
      event.preventDefault();
      by(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), middle(event.clientX, event.clientY)); // a pinch has Ctrl
    },
    onDblClick: (event: MouseEvent) => {
      if (look.scale > 1) set(() => whole);
      else by(closer, middle(event.clientX, event.clientY));
    },
    onPointerDown: (event: PointerEvent) => {
      const at = { x: event.clientX, y: event.clientY };
      begun.current = fingers.current.size === 0 ? at : undefined;
      fingers.current.set(event.pointerId, at);
      stage.current?.setPointerCapture(event.pointerId);
    },
    onPointerMove: move,
    onPointerUp: release,
    onPointerCancel: (event: PointerEvent) => {
      fingers.current.delete(event.pointerId);
      begun.current = undefined;
    },
  };
  const style = { transform: `translate(${look.x}px, ${look.y}px) scale(${look.scale})` };
  return { look, stage, image, style, handlers, by, press };
}
