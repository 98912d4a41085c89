// Texts as the search compares them, and what is shown of a message that was found.
import { expect, test } from "@playwright/test";
import { excerpt, fold, partsWith, wordsOf } from "../src/messenger/state/fold.js";

for (const [text, words] of [
  ["Mária Müller", ["maria", "muller"]],
  ["Straße", ["strasse"]],
  ["Bjørn Łukasz", ["bjorn", "lukasz"]],
  ["O’Brien", ["obrien"]],
  ["bed-12", ["bed", "12"]],
  ["ΣΟΦΟΣ σοφος", ["σοφοσ", "σοφοσ"]],
  ["👍 ok", ["👍", "ok"]],
  ["...", []],
] as const) {
  test(`${text} has the words ${words.join(" ")}`, () => expect(wordsOf(text)).toEqual(words));
}

test("a folded text has neither case nor accents nor strokes", () => {
  expect(fold("ÉTÉ Œuvre İstanbul ﬁn")).toBe("ete oeuvre istanbul fin");
});

for (const [text, sought, marked] of [
  ["The results of bed 12 are in.", "res", "The [res]ults of bed 12 are in."],
  ["The results are in.", "esults", "The results are in."], // only where a word begins
  ["Ergebnisse: Müller, MULLER, Mu\u0308ller", "muller", "Ergebnisse: [Müller], [MULLER], [Mu\u0308ller]"],
  ["Straße 5", "strass", "[Straß]e 5"],
  ["Call Mr O’Brien", "brien", "Call Mr O’[Brien]"],
  ["Call Mr O’Brien", "obrien", "Call Mr [O’Brien]"],
  ["今日は張伟です", "伟", "今日は張[伟]です"],
  ["Seoul is 서울에서", "울", "Seoul is 서[울]에서"],
  ["a ab abc", "ab a", "[a] [ab] [ab]c"],
  ["done 👍👍", "👍", "done [👍][👍]"],
  ["<b>bold</b>", "b", "<[b]>[b]old</[b]>"],
  ["nothing", "", "nothing"],
  ["nothing", "?!", "nothing"],
] as const) {
  test(`"${sought}" is marked in "${text}"`, () => {
    let out = "";
    let at = 0;
    for (const { from, to } of partsWith(text, sought)) {
      out += `${text.slice(at, from)}[${text.slice(from, to)}]`;
      at = to;
    }
    expect(out + text.slice(at)).toBe(marked);
  });
}

for (const [text, sought, shown] of [
  ["Potassium is 6.1.", "pot", "Potassium is 6.1."],
  ["Good morning. Potassium is high! Please call.", "potassium", "Potassium is high!"],
  ["Line one\nbed 12 is free\nthanks", "bed", "bed 12 is free"],
  [`${"so long ".repeat(30)}needle ${"and on ".repeat(60)}`, "needle", "… so long so long so long so long so long so long so long needle and on and on and on and on and on and on and on and on and on and on and on and on and on and on and on and on and …"],
  ["No match here. Really.", "zzz", "No match here. Really."],
  ["a\n\n  b   c", "zzz", "a b c"],
  ["x".repeat(300), "zzz", `${"x".repeat(180)} …`],
] as const) {
  test(`around "${sought}" is shown ${shown}`, () => {
    expect(excerpt(text, sought)).toBe(shown);
  });
}
