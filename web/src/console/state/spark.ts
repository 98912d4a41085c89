import type { Values } from "./history";

/** sparkOf is the path of a curve in a box, from nought up. Where a figure is not known, it has a gap. */
export function sparkOf(values: Values, width: number, height: number): string {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const apart = width / Math.max(1, values.length - 1);
  const place = (n: number) => Math.round(n * 10) / 10;
  let pen = "M";
  let path = "";
  for (const [i, value] of values.entries()) {
    if (value === null) {
      pen = "M";
      continue;
    }
    path += `${pen}${place(i * apart)} ${place(height - 1 - (value / most) * (height - 2))}`;
    pen = "L";
  }
  return path;
}
