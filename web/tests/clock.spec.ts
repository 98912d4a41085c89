// The server's clock says what is over, whatever that of the computer shows.
import { Messenger } from "./fixtures/messenger.js";
import { expect, test } from "./fixtures/test.js";
import { withTime } from "./fixtures/time.js";

const two = { alice: "Alice Ames", bob: "Bob Brown" };
const hours = 3_600_000;

/** left is what a message says of how long it is there. */
const left = (m: Messenger, words: string) => m.message(words).getByText(/^\d+ (min|sec)$/);

for (const [clock, ahead] of [["ahead", 2 * hours], ["behind", -2 * hours]] as const) {
  test(`with the computer's clock two hours ${clock}, messages appear, count down and end as they do elsewhere`, async ({
    hospital, open,
  }) => {
    const { alice, bob } = await hospital(two);
    await bob.tell(alice, { body: "Before", ttl: 30 });
    const a = new Messenger(await open(alice, "/healthz"));
    await withTime(a.page, ahead);
    await a.page.goto("/");
    await a.open("Bob Brown");
    await expect(left(a, "Before")).toHaveText("30 min");
    await bob.tell(alice, { body: "While it is open", ttl: 30 });
    await expect(left(a, "While it is open")).toHaveText("30 min");
    await expect(a.items.filter({ hasText: /^Today$/ })).toHaveCount(1);
    await expect(a.messages).toHaveText([/^Before/, /^While it is open/]);
    await a.page.evaluate(() => window.goOn(20 * 60_000));
    await expect(left(a, "Before")).toHaveText("10 min");
    await a.page.evaluate(() => window.goOn(10 * 60_000));
    await a.has();
  });
}

test("a computer's clock that is set while the page is open changes nothing of what is shown", async ({
  hospital, open,
}) => {
  const { alice, bob } = await hospital(two);
  const a = new Messenger(await open(alice, "/healthz"));
  await withTime(a.page);
  await a.page.goto("/");
  await bob.tell(alice, { body: "For half an hour", ttl: 30 });
  await a.open("Bob Brown");
  for (const ahead of [2 * hours, -2 * hours, 0]) {
    await a.page.evaluate((to) => window.setClock(to), ahead);
    await bob.tell(alice, { body: `Set to ${ahead}`, ttl: 30 });
    await expect(left(a, `Set to ${ahead}`)).toHaveText("30 min");
    await expect(left(a, "For half an hour")).toHaveText("30 min");
    await a.isUpToDate();
  }
  await expect(a.messages).toHaveText([/^For half an hour/, /^Set to 7200000/, /^Set to -7200000/, /^Set to 0/]);
});
