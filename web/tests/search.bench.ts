// How long somebody waits for what a search finds in 100,000 messages.
import { type Page } from "@playwright/test";
import { unlimited } from "./client/test.js";
import { arrive, names, percentile, rounds, send, sized, tell } from "./fixtures/bench.js";
import { expect, test } from "./fixtures/test.js";

test.use({ serve: unlimited });

interface Searched {
  first: number; // milliseconds until the first results, or until the end where there are none
  all: number; // until the end
  found: number;
}

/** search looks for words as the messenger does, page by page, until there is no more. */
function search(page: Page, words: string): Promise<Searched> {
  return page.evaluate(async (text) => {
    const begun = performance.now();
    let first: number | undefined;
    let found = 0;
    let continuation: string | undefined;
    do {
      const response = await fetch("/v2/conversation/search", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ text, ...(continuation && { continuation }) }),
      });
      if (!response.ok) throw new Error(await response.text());
      const { reply } = await response.json() as {
        reply: { results: unknown[]; metadata: { continuation?: string } };
      };
      found += reply.results.length;
      if (found > 0) first ??= performance.now() - begun;
      ({ continuation } = reply.metadata);
    } while (continuation);
    const all = performance.now() - begun;
    return { first: first ?? all, all, found };
  }, words);
}

test("somebody searches 100,000 messages", async ({ browser, hospital, server }) => {
  const messages = sized(100_000);
  const { alice, bob } = await hospital(names);
  // The oldest has a word of its own: all others are looked through before it is found.
  await bob.tell(alice, "Ask the notary.");
  await send(bob, Array.from({ length: messages - 1 }, (_, i) => (
    { to: alice, body: `${i} The results of bed ${i % 40} are in. ${i % 100 === 0 ? "Potassium is high." : ""}` }
  )));
  const a = await arrive(browser, server, alice);
  await expect(a.entry("Bob Brown")).toBeVisible();
  const cases = [
    ["a word of each hundredth message", "potassium"],
    ["a word of the oldest message", "notary"],
    ["a word of none", "giraffe"],
  ] as const;
  const expected = { potassium: Math.ceil((messages - 1) / 100), notary: 1, giraffe: 0 };
  for (const [what, words] of cases) {
    const first: number[] = [];
    const all: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const searched = await search(a.page, words);
      expect(searched.found).toBe(expected[words]);
      first.push(searched.first);
      all.push(searched.all);
    }
    tell(`search for ${what}`, {
      "ms/median-first": percentile(first, 0.5),
      "ms/worst-first": percentile(first, 1),
      "ms/median-all": percentile(all, 0.5),
      messages,
    });
  }
  await a.page.context().close();
});
