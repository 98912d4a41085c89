// Names where there is little room.
import { expect, test } from "@playwright/test";
import { shortName } from "../src/messenger/state/names.js";

for (const [name, short] of [
  ["Alice Ames", "Alice"],
  ["  Alice  Ames ", "Alice"],
  ["Alice", "Alice"],
  ["Prof. Dr. med. Alexandra Schmidt", "Alexandra"],
  ["Univ.-Prof. Dr. Dr. h.c. Max Weber", "Max"],
  ["Dr Gregory House", "Gregory"],
  ["PD Dr. rer. nat. Jürgen Müller", "Jürgen"],
  ["Schwester Monika Klein", "Monika"],
  ["Mme Élodie Martin", "Élodie"],
  ["M. Jean-Luc Petit", "Jean-Luc"],
  ["Med Hondo", "Med"], // a name, where nothing shortens it
  // Where the first name can't be told, nothing is left out.
  ["Dr. Brown", "Dr. Brown"],
  ["Prof. Dr.", "Prof. Dr."],
  ["Nurse", "Nurse"],
  ["J. Brown", "J. Brown"],
  ["Dr. J. Brown", "Dr. J. Brown"],
  ["Brown, Bob", "Brown, Bob"],
  ["张伟", "张伟"],
  ["نادية الحسن", "نادية"],
  ["", ""],
] as const) {
  test(`${name} is ${short}`, () => expect(shortName(name)).toBe(short));
}
