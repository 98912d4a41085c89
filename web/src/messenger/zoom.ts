// How a picture lies in its window: how large, and how far its middle is from that of the window.

export interface Look {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The whole of a picture. */
export const whole: Look = { scale: 1, x: 0, y: 0 };

const most = 8;

/** zoomed is larger or smaller by a factor. What lies at a point, counted from the middle of the window, stays there. */
export function zoomed({ scale, x, y }: Look, factor: number, at: { x: number; y: number } = { x: 0, y: 0 }): Look {
  const to = Math.min(most, Math.max(1, scale * factor));
  if (to === 1) return whole;
  const by = to / scale;
  return { scale: to, x: at.x - (at.x - x) * by, y: at.y - (at.y - y) * by };
}

/** moved is shifted by so much. */
export function moved({ scale, x, y }: Look, dx: number, dy: number): Look {
  return { scale, x: x + dx, y: y + dy };
}

/** held keeps a picture, which is so large at its whole, from leaving its window: no edge comes in further than it must. */
export function held({ scale, x, y }: Look, picture: Size, window: Size): Look {
  const hold = (n: number, size: number, room: number) => {
    const far = Math.max(0, (size * scale - room) / 2);
    return Math.min(far, Math.max(-far, n));
  };
  return { scale, x: hold(x, picture.width, window.width), y: hold(y, picture.height, window.height) };
}
