// Draws the icons of the application: the mark of src/mark.json on a ground of the accent
// colour, as SVG, and as PNG for systems that take no other.
import { crc32, deflateSync } from "node:zlib";

const ground = [0x14, 0x57, 0xb8];
const side = 24; // of the mark's own grid

/** svg draws the icon; with a dot, which tells that something is unread. */
export function svg(mark, dot = false) {
  const { ring, check, line } = mark;
  const color = `#${ground.map((c) => c.toString(16).padStart(2, "0")).join("")}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}">` +
    `<rect width="${side}" height="${side}" rx="5" fill="${color}"/>` +
    `<g fill="none" stroke="#fff" stroke-width="${line}" stroke-linecap="round" stroke-linejoin="round">` +
    `<circle cx="${ring.x}" cy="${ring.y}" r="${ring.radius}"/><polyline points="${check.join(" ")}"/></g>` +
    (dot ? `<circle cx="19" cy="5" r="5" fill="#d92d20"/>` : "") + `</svg>\n`;
}

/** logo draws the mark as kit/Logo.tsx does, in the colour that the style gives it. */
export function logo({ ring, check }) {
  return `<svg class="logo" viewBox="0 0 ${side} ${side}" aria-hidden="true" focusable="false">` +
    `<circle cx="${ring.x}" cy="${ring.y}" r="${ring.radius}"></circle>` +
    `<polyline points="${check.join(" ")}"></polyline></svg>`;
}

/** png draws the icon with a number of pixels a side. Its corners are the system's to cut. */
export function png(mark, size) {
  const rows = Buffer.alloc(size * (1 + size * 3));
  const scale = side / size;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      // How far the middle of the pixel lies from the line, in pixels; half of one is blurred.
      const from = distance(mark, (x + 0.5) * scale, (y + 0.5) * scale) - mark.line / 2;
      const white = Math.min(1, Math.max(0, 0.5 - from / scale));
      ground.forEach((c, i) => (rows[y * (1 + size * 3) + 1 + x * 3 + i] = Math.round(c + (255 - c) * white)));
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 2, 0, 0, 0], 8); // eight bits a channel, red, green and blue
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", head), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** distance is how far a point lies from the middle of the mark's lines. */
function distance({ ring, check }, x, y) {
  let least = Math.abs(Math.hypot(x - ring.x, y - ring.y) - ring.radius);
  for (let i = 1; i < check.length; i++) {
    const [ax, ay] = check[i - 1];
    const [dx, dy] = [check[i][0] - ax, check[i][1] - ay];
    const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
    least = Math.min(least, Math.hypot(x - ax - along * dx, y - ay - along * dy));
  }
  return least;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
