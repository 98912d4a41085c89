// What a page keeps while messages come and go: what is shown no more is let go, and loaded again for who looks back.
import { names, send } from "./fixtures/bench.js";
import { kept } from "./fixtures/kept.js";
import { Messenger } from "./fixtures/messenger.js";
import { expect, test } from "./fixtures/test.js";

test("a page keeps no node of the messages that it shows no more", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(names);
  const a = new Messenger(await open(alice, `/c/${bob.token}`));
  await expect(a.field).toBeVisible();
  const come = async (from: number) => {
    for (let n = from; n < from + 200; n += 20) {
      await send(bob, Array.from({ length: 20 }, (_, i) => ({ to: alice, body: `Number ${n + i}.` })));
      await bob.tell(alice, `That was ${n}.`);
      await expect(a.message(`That was ${n}.`)).toBeVisible();
    }
    return (await kept(a.page)).nodes;
  };
  await come(0);
  const before = await come(200);
  const after = await come(400);
  expect(after - before, "nodes that 210 messages left behind").toBeLessThan(500);
});

test("what was said long ago is let go, and comes again for who looks back", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(names);
  await bob.tell(alice, "Good morning.");
  const a = new Messenger(await open(alice, `/c/${bob.token}`));
  await expect(a.message("Good morning.")).toBeVisible();
  for (let n = 0; n < 2_000; n += 100) {
    await send(alice, Array.from({ length: 100 }, (_, i) => ({ to: bob, body: `Number ${n + i}.` })));
    await alice.tell(bob, `That was ${n}.`);
    await expect(a.message(`That was ${n}.`)).toBeVisible();
  }
  const box = a.page.getByRole("region", { name: "Messages" });
  const asked = a.page.waitForRequest((request) => /\/message\?.*before=\d+/.test(request.url()), { timeout: 90_000 });
  await expect.poll(async () => {
    await box.evaluate((el) => (el.scrollTop = 0));
    return a.message("Good morning.").count();
  }, { intervals: [50], timeout: 90_000 }).toBe(1);
  await asked; // it had been let go
  const shown = (await a.items.allTextContents()).flatMap((words) => /^(?:Number|That was) \d+/.exec(words)?.[0] ?? []);
  expect(shown.length).toBeGreaterThan(50);
  expect(new Set(shown).size, "each is there once").toBe(shown.length);
  await a.page.getByRole("button", { name: "Go to latest message" }).click();
  await expect(a.message("That was 1900.")).toBeInViewport();
});
