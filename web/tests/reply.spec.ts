// Answering a message: what stands above the answer, where that leads, and what stays when the message goes.
import { hacks } from "./fixtures/look.js";
import { Messenger } from "./fixtures/messenger.js";
import { picture } from "./fixtures/picture.js";
import { png } from "./fixtures/png.js";
import { expect, test } from "./fixtures/test.js";
import { withTime } from "./fixtures/time.js";

const three = { alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke" };

for (const width of [1280, 360]) {
  test(`a message is answered by the keyboard alone, and its answer leads to it, ${width} pixels wide`, async ({
    hospital, open,
  }) => {
    const { alice, bob, carol } = await hospital(three);
    const ward = await alice.client.createGroup({ name: "Ward 3", members: [bob.token, carol.token] });
    await bob.tell(ward, "Is bed 12 free?");
    for (let i = 1; i <= 30; i++) await carol.tell(ward, `Carol's ${i}. line`);
    const a = new Messenger(await open(alice, `/c/${ward.token}`, { viewport: { width, height: 640 } }));
    const { keyboard } = a.page;
    await expect(a.message("Is bed 12 free?")).toBeVisible();
    await a.message("Is bed 12 free?").focus();
    await keyboard.press("r");
    await expect(a.field).toBeFocused();
    await expect(a.answering).toContainText("Bob BrownIs bed 12 free?");

    // Escape takes the chip away, and leaves the conversation open.
    await keyboard.type("It is");
    await keyboard.press("Escape");
    await expect(a.answering).toHaveCount(0);
    await expect(a.field).toHaveValue("It is");
    await a.shows("Ward 3");
    await a.act("Is bed 12 free?", "Reply");
    await a.answering.getByRole("button", { name: "Don’t reply to this message" }).click();
    await expect(a.answering).toHaveCount(0);
    await expect(a.field).toBeFocused();

    // Whoever takes another message sees that one.
    await a.act("Carol's 1. line", "Reply");
    await expect(a.answering).toContainText("Carol's 1. line");
    await a.act("Is bed 12 free?", "Reply");
    await expect(a.answering).toContainText("Bob BrownIs bed 12 free?");
    await picture(a.page, `answering-${width}`);
    await expect(a.field).toBeFocused();
    await keyboard.type(", Bob.");
    await keyboard.press("Enter");
    const block = a.message("It is, Bob.").getByRole("button", { name: "Bob Brown Is bed 12 free?" });
    await expect(block).toBeVisible();
    await a.hasStatus("It is, Bob.", "Sent");
    await expect(a.message("Is bed 12 free?").filter({ hasNotText: "It is" })).not.toBeInViewport();
    expect(await a.page.evaluate(hacks, width)).toEqual([]);

    // By the keyboard to what it answers, which is out of sight.
    await block.focus();
    await keyboard.press("Enter");
    const original = a.message("Is bed 12 free?").filter({ hasNotText: "It is" });
    await expect(original).toBeInViewport();
    await expect(original).toBeFocused();
    const { results } = await bob.client.getHistory(ward.token, { limit: 1 });
    const { results: all } = await bob.client.getHistory(ward.token);
    expect(results[0]?.reply_to).toBe(all.find(({ body }) => body === "Is bed 12 free?")?.message_id);
  });
}

test("of a message that is gone, its answer says only that", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const page = await open(alice, "/healthz");
  await withTime(page);
  await page.goto("/");
  const recalled = await bob.tell(alice, "The wrong window");
  await alice.tell(bob, { body: "Answer one", reply_to: recalled });
  const brief = await bob.tell(alice, { body: "For a minute", ttl: 1 });
  await alice.tell(bob, { body: "Answer two", reply_to: brief });
  const scan = await bob.tell(alice, { attachment: new File([png(40, 30)], "wound.png", { type: "image/png" }) });
  await alice.tell(bob, { body: "Answer three", reply_to: scan });
  const pin = await bob.tell(alice, { body: "The PIN is 2468", dor: true });
  await bob.tell(alice, { body: "Answer four", reply_to: pin });
  const a = new Messenger(page);
  await a.open("Bob Brown");
  const block = (words: string) => a.message(words).getByRole("button", { name: /^Bob Brown/ });
  const gone = (words: string) => a.message(words).getByText("The original message is no longer available.");
  await expect(block("Answer one")).toContainText("The wrong window");
  await expect(block("Answer two")).toContainText("For a minute");
  await expect(block("Answer three")).toContainText("wound.png");
  await expect(block("Answer four")).toContainText("Hidden message (deleted after reading)");
  await expect(page.getByText("2468")).toHaveCount(0);

  await bob.client.recallMessage(recalled);
  await expect(gone("Answer one")).toBeVisible();
  await expect(page.getByText("The wrong window")).toHaveCount(0);
  await page.evaluate(() => window.goOn(61_000));
  await expect(gone("Answer two")).toBeVisible();
  await expect(page.getByText("For a minute")).toHaveCount(0);
  await expect(block("Answer three")).toBeVisible();
});

test("an answer to something far back leads there, and one comes back to the newest", async ({ hospital, open }) => {
  test.setTimeout(120_000);
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const first = await bob.tell(alice, "Number 0.");
  for (let i = 1; i < 420; i++) await bob.tell(alice, `Number ${i}.`);
  await alice.read(bob);
  await alice.tell(bob, { body: "That was it.", reply_to: first });
  const a = new Messenger(await open(alice, `/c/${bob.token}`));
  const far = a.message("Number 0.").filter({ hasNotText: "That was it." });
  await a.message("That was it.").getByRole("button", { name: "Bob Brown Number 0." }).click();
  await expect(far).toBeFocused();
  await expect(a.message("Number 5.")).toBeVisible();
  await expect(a.message("That was it.")).toHaveCount(0);

  // What is between is loaded on the way, without a hole.
  const box = a.page.getByRole("region", { name: "Messages" });
  const numbers = () => box.getByRole("listitem").evaluateAll((items) =>
    items.flatMap((item) => /^Number (\d+)\./.exec(item.textContent ?? "")?.[1] ?? []).map(Number));
  await expect(async () => {
    await box.evaluate((element) => element.scrollBy(0, 1500));
    const shown = await numbers();
    expect(shown.every((n, i) => i === 0 || n === (shown[i - 1] ?? 0) + 1)).toBe(true);
    await expect(a.message("That was it.")).toBeInViewport({ timeout: 50 });
  }).toPass({ timeout: 60_000, intervals: [50] });

  await a.message("That was it.").getByRole("button", { name: "Bob Brown Number 0." }).click();
  await expect(far).toBeFocused();
  await a.page.getByRole("button", { name: "Go to latest message" }).click();
  await expect(a.message("That was it.")).toBeInViewport();
});

test("an answer that waits goes with what it answers, and is kept where that is gone by then", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const stays = await bob.tell(alice, "Bed 12?");
  const goes = await bob.tell(alice, "Bed 13?");
  const a = new Messenger(await open(alice, `/c/${bob.token}`));
  await expect(a.message("Bed 13?")).toBeVisible();
  await a.page.context().setOffline(true);
  await a.act("Bed 12?", "Reply");
  await a.write("Free.");
  await a.act("Bed 13?", "Reply");
  await a.write("Taken.");
  await expect(a.message("Taken.").getByRole("button", { name: "Bob Brown Bed 13?" })).toBeVisible();
  await a.hasStatus("Taken.", "Sending…");
  await bob.client.recallMessage(goes);
  await a.page.context().setOffline(false);
  await a.hasStatus("Free.", "Sent");
  await expect(a.message("Taken.").getByRole("alert")).toHaveText("Not sent: the message you’re replying to is no longer available.");
  await a.message("Taken.").getByRole("button", { name: "Send without the reply mark" }).click();
  await a.hasStatus("Taken.", "Sent");
  const { results } = await bob.client.getHistory(alice.token, { limit: 2 });
  expect(results.map(({ body, reply_to }) => [body, reply_to])).toEqual([["Taken.", undefined], ["Free.", stays]]);
});
