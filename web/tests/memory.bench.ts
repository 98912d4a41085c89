// What a tab of the messenger keeps in memory while messages go through it.
import { type Page } from "@playwright/test";
import { unlimited } from "./client/test.js";
import { arrive, names, send, sized, tell } from "./fixtures/bench.js";
import { kept } from "./fixtures/kept.js";
import { expect, test } from "./fixtures/test.js";

test.use({ serve: unlimited });

/** heap is what a page uses, in MiB. */
const heap = async (page: Page) => (await kept(page)).bytes / 2 ** 20;

test("20,000 messages come through a conversation that is open", async ({ browser, hospital, server }) => {
  const { alice, bob } = await hospital(names);
  await bob.tell(alice, "Good morning.");
  const a = await arrive(browser, server, alice);
  await a.open("Bob Brown");
  await expect(a.message("Good morning.")).toBeVisible();
  const used: Record<string, number> = { "MiB/before": await heap(a.page) };
  let sent = 0;
  for (const until of [5_000, 10_000, 20_000].map(sized)) {
    while (sent < until) {
      // Few enough for all of them to be on the screen, where they are read, before the next ones come.
      const some = Math.min(10, until - sent);
      await send(bob, Array.from({ length: some }, (_, i) => (
        { to: alice, body: `Number ${sent + i}. The results of bed 12 are in.` }
      )));
      sent += some;
      await bob.tell(alice, `That was ${sent}.`);
      await expect(a.message(`That was ${sent}.`)).toBeVisible();
    }
    used[`MiB/${until}`] = await heap(a.page);
  }
  tell("memory of a tab", { ...used, "messages/page": await a.messages.count() });
  await a.page.context().close();
});
