// Finding messages, and seeing them in their place.
import AxeBuilder from "@axe-core/playwright";
import type { Locator, Page } from "@playwright/test";
import { wide } from "./fixtures/look.js";
import { Messenger } from "./fixtures/messenger.js";
import { hold } from "./fixtures/held.js";
import { picture } from "./fixtures/picture.js";
import { expect, test } from "./fixtures/test.js";

/** found is what the search shows of messages. */
const found = (m: Messenger) => m.list.getByRole("group", { name: "Messages with these words" });

/** marked are the words that are marked in something. */
const marked = (within: Locator) => within.evaluate((all) => [...all.querySelectorAll("mark")].map((one) => one.textContent));

/** isForEverybody holds what is shown to the rules, and lets nothing stick out. */
async function isForEverybody(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).setLegacyMode().analyze();
  expect(violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)).toEqual([]);
  expect(await page.evaluate(wide)).toEqual([]);
}

test("one field finds people, groups and messages, by the keyboard alone", async ({ hospital, open }) => {
  const { alice, bob, carol } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Résumé" });
  const ward = await alice.client.createGroup({ name: "Results of the lab", members: [bob.token, carol.token] });
  await bob.tell(ward, "Nothing of note.");
  await bob.tell(alice, "Good morning. The RÉSULTS of bed 12 are in! <b>Call</b> me.");
  await carol.tell(ward, "I have no result yet.");
  await alice.tell(bob, "Which results?");
  const scan = new File(["%PDF"], "results-of-may.pdf", { type: "application/pdf" });
  await bob.tell(alice, { attachment: scan });
  const a = new Messenger(await open(alice));
  await a.isUpToDate();

  await a.page.keyboard.press("Control+k");
  await a.page.keyboard.type("res");
  await expect(a.list.getByRole("group", { name: "People" }).getByRole("button")).toHaveText([/Carol Résumé/]);
  await expect(a.list.getByRole("group", { name: "Groups" }).getByRole("button")).toHaveText([/Results of the lab3 people/]);
  const rows = found(a).getByRole("listitem");
  await expect(rows).toHaveText([
    /Bob Brown.*results-of-may\.pdf$/,
    /you.*To Bob BrownWhich results\?$/,
    /Carol Résumé.*In Results of the labI have no result yet\.$/,
    /Bob Brown.*The RÉSULTS of bed 12 are in!$/,
  ]);
  expect(await marked(found(a))).toEqual(["res", "res", "res", "RÉS"]);
  await expect(found(a)).toContainText("Searched all messages, back to");
  await isForEverybody(a.page);
  await picture(a.page, "found");

  // From the field over all that was found, and back.
  for (let i = 0; i < 6; i++) await a.page.keyboard.press("ArrowDown");
  await expect(rows.getByRole("button", { name: /RÉSULTS/ })).toBeFocused();
  await a.page.keyboard.press("Escape");
  await expect(a.search).toBeFocused();
  for (let i = 0; i < 6; i++) await a.page.keyboard.press("ArrowDown");
  await a.page.keyboard.press("Enter");
  await a.shows("Bob Brown");
  const message = a.message("of bed 12 are in!");
  await expect(message).toBeFocused();
  await expect(message).toContainText("<b>Call</b> me.");
  expect(await marked(a.page.getByRole("main"))).toEqual(["RÉS"]); // and in no other message
  await expect(rows).toHaveCount(4); // what was found stays, for the next one
  await a.search.press("Escape");
  await expect(a.entry("Results of the lab")).toBeVisible();
});

test("a message far back is shown in its place, and one comes back to the newest", async ({ hospital, open }) => {
  test.slow(); // it takes many messages
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const special = new Map([[10, "Not that needle."], [30, "The needle is here."]]);
  for (let i = 0; i < 420; i++) await bob.tell(alice, special.get(i) ?? `Hay ${i}.`);
  await alice.read(bob);
  const a = new Messenger(await open(alice, "/", { serviceWorkers: "block" })); // it would make the calls
  await a.open("Bob Brown");
  await expect(a.message("Hay 419.")).toBeInViewport();
  await a.search.fill("needle");
  const hit = found(a).getByRole("button", { name: /The needle/ });

  // One chooses another one before the first is there, and the last one counts.
  const held = await hold(a.page, ({ pathname, search }) => pathname.endsWith("/message") && search.includes("after="));
  await found(a).getByRole("button", { name: /Not that/ }).click();
  await expect.poll(() => held.count).toBe(1);
  await hit.click();
  held.end();
  await held.release();
  const needle = a.message("The needle is here.");
  await expect(needle).toBeFocused();
  await expect(needle).toBeInViewport({ ratio: 1 });
  expect(await marked(needle)).toEqual(["needle"]);
  await expect(a.message("Hay 29.")).toBeVisible();
  await expect(a.message("Hay 31.")).toBeVisible();
  await expect(a.message("Hay 419.")).toHaveCount(0);
  await picture(a.page, "found-far-back");

  // What comes meanwhile leaves one where one is.
  await bob.tell(alice, "Something new.");
  await expect(a.page).toHaveTitle("(1) Signet");
  await expect(needle).toBeInViewport({ ratio: 1 });
  await expect(a.message("Something new.")).toHaveCount(0);

  // Scrolling leads through all that was said since, without a gap, to what is new.
  const seen = new Set<string>();
  const box = a.page.getByRole("region", { name: "Messages" });
  await expect(async () => {
    for (const words of await a.messages.allInnerTexts()) seen.add(/^Hay \d+\./.exec(words)?.[0] ?? words);
    await box.evaluate((element) => element.scrollBy(0, 900));
    await expect(a.message("Something new.")).toBeInViewport({ timeout: 1 });
  }).toPass({ intervals: [50], timeout: 30_000 });
  for (let i = 31; i < 420; i++) expect(seen, `Hay ${i}`).toContain(`Hay ${i}.`);

  // Once more, and back at once.
  await hit.click();
  await expect(needle).toBeFocused();
  await a.page.getByRole("button", { name: "Go to latest message" }).click();
  await expect(a.message("Something new.")).toBeInViewport();
  await expect(needle).toHaveCount(0);

  // What one writes while one looks at the past is seen.
  await hit.click();
  await expect(needle).toBeFocused();
  await a.write("I found it.");
  await expect(a.message("I found it.")).toBeInViewport();
  await a.hasStatus("I found it.", "Sent");
});

test("a message that went meanwhile opens at its place, with a word that it is gone", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await bob.tell(alice, "Before.");
  const wrong = await bob.tell(alice, "Needle one.");
  await bob.tell(alice, "Between.");
  await bob.tell(alice, { body: "Needle two.", ttl: 1 });
  await bob.tell(alice, "After.");
  const a = new Messenger(await open(alice, "/", { serviceWorkers: "block" })); // it would make the calls
  await a.search.fill("needle");
  const rows = found(a).getByRole("button", { name: /Needle/ });
  await expect(rows).toHaveCount(2);
  await bob.client.recallMessage(wrong);
  await found(a).getByRole("button", { name: /This message was recalled\./ }).click();
  const said = a.page.getByRole("main").getByRole("status");
  await expect(said).toHaveText("The message you searched for was recalled.");
  await expect(a.message("This message was recalled.")).toBeFocused();
  await isForEverybody(a.page);

  // The server has erased it, as it does where a minute is over.
  await a.page.route(/\/message\?/, async (route) => {
    const response = await route.fetch({ headers: { ...(await route.request().allHeaders()), "sec-fetch-site": "same-origin" } });
    const answer = (await response.json()) as { reply: { results: { body?: string }[] } };
    answer.reply.results = answer.reply.results.filter(({ body }) => body !== "Needle two.");
    await route.fulfill({ response, json: answer });
  });
  await a.page.reload();
  await a.search.fill("needle");
  await rows.filter({ hasText: "two" }).click();
  await expect(said).toHaveText("The message you searched for has expired or was deleted. This is where it was.");
  await expect(a.message("After.")).toBeFocused();
});

test("who begins to search while the page comes up goes on there", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke" });
  await bob.tell(alice, "Needle.");
  const a = new Messenger(await open(alice, "/", { serviceWorkers: "block" })); // it would make the calls
  await a.open("Bob Brown");
  await expect(a.field).toBeFocused();
  const held = await hold(a.page, ({ pathname }) => pathname.endsWith("/v2/conversation"));
  await a.page.reload();
  await expect.poll(() => held.count).toBe(1);
  await a.search.focus();
  held.end();
  await held.release();
  await expect(a.field).toBeVisible();
  await a.page.keyboard.type("needle");
  await expect(a.search).toHaveValue("needle");
  await expect(a.field).toHaveValue("");

  // Whom one chooses by the same field is written to at once.
  await a.search.fill("carol");
  await expect(a.list.getByRole("button", { name: /Carol Clarke/ })).toBeVisible();
  await a.search.press("Enter");
  await expect(a.field).toBeFocused();
});

test("chips narrow the search down: conversation, sender, files and days", async ({ hospital, open }) => {
  const { alice, bob, carol } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke" });
  const ward = await alice.client.createGroup({ name: "Ward 3", members: [bob.token, carol.token] });
  await bob.tell(alice, "Bed 1 to you.");
  await bob.tell(ward, "Bed 2 of Bob.");
  await carol.tell(ward, "Bed 3 of Carol.");
  await alice.tell(ward, { body: "Bed 4 of Alice.", attachment: new File(["x"], "plan.txt", { type: "text/plain" }) });
  const a = new Messenger(await open(alice));
  await a.open("Ward 3");

  await a.page.getByRole("button", { name: "Search in this conversation" }).click();
  await expect(a.search).toBeFocused();
  await expect(a.list.getByRole("status")).toHaveText("Enter words to search for in messages.");
  await a.page.keyboard.type("bed");
  const rows = found(a).getByRole("listitem");
  await expect(rows).toContainText(["Bed 4", "Bed 3", "Bed 2"]);
  await expect(rows).toHaveCount(3);
  const chips = a.list.getByRole("group", { name: "Narrow the search" });
  await expect(chips.getByRole("button", { name: "In Ward 3" })).toHaveAttribute("aria-pressed", "true");

  await chips.getByRole("button", { name: "Sender" }).click();
  await a.dialog.getByRole("searchbox", { name: "Search people" }).fill("carol");
  await a.dialog.getByRole("button", { name: "Carol Clarke" }).click();
  await expect(rows).toHaveText([/Bed 3/]);
  await isForEverybody(a.page);
  await picture(a.page, "found-filtered");
  await chips.getByRole("button", { name: "From Carol Clarke" }).click();
  await expect(rows).toHaveCount(3);
  await chips.getByRole("button", { name: "Sender" }).click();
  await a.dialog.getByRole("button", { name: "My own messages" }).click();
  await expect(rows).toHaveText([/Bed 4/]);
  await chips.getByRole("button", { name: "From you" }).click();

  await a.search.fill("");
  await chips.getByRole("button", { name: "With files" }).click();
  await expect(rows).toHaveText([/plan\.txt/]);
  await chips.getByRole("button", { name: "With files" }).click();
  await a.search.fill("bed");
  await chips.getByRole("button", { name: "In Ward 3" }).click();
  await expect(rows).toHaveCount(4);

  await chips.getByRole("button", { name: "Dates" }).click();
  await chips.getByLabel("Last day").fill("2020-01-01");
  await expect(a.list.getByRole("status")).toHaveText("No results.");
  await chips.getByLabel("Last day").fill("");
  await chips.getByLabel("First day").fill("2020-01-01");
  await expect(rows).toHaveCount(4);
  await isForEverybody(a.page);
});

test("on a phone one searches in a conversation, and comes back to what was found", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await bob.tell(alice, "Bed 12 is free.");
  await bob.tell(alice, "Come at once.");
  const a = new Messenger(await open(alice, "/", { viewport: { width: 360, height: 740 } }));
  await a.open("Bob Brown");
  await a.page.getByRole("button", { name: "Search in this conversation" }).click();
  await expect(a.search).toBeFocused();
  await a.page.keyboard.type("bed");
  await found(a).getByRole("button", { name: /Bed 12/ }).waitFor();
  await isForEverybody(a.page);
  await picture(a.page, "found-phone");
  await found(a).getByRole("button", { name: /Bed 12/ }).click();
  await expect(a.message("Bed 12 is free.")).toBeFocused();
  await isForEverybody(a.page);
  await a.page.goBack();
  await expect(found(a).getByRole("button", { name: /Bed 12/ })).toBeVisible();
});

test("only the newest question is answered, and older messages are searched on demand", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  for (let i = 1; i <= 30; i++) await bob.tell(alice, `Bed ${i} is free.`);
  await bob.tell(alice, "Beacon.");
  const a = new Messenger(await open(alice, "/", { serviceWorkers: "block" })); // it would make the calls
  await a.isUpToDate();
  const search = ({ pathname }: URL) => pathname === "/v2/conversation/search";
  const held = await hold(a.page, search);
  let ended = 0;
  a.page.on("requestfailed", (request) => search(new URL(request.url())) && ended++);
  await a.search.fill("be");
  await expect.poll(() => held.count).toBe(1);
  await a.search.fill("bed");
  await expect.poll(() => held.count).toBe(2);
  await expect.poll(() => ended).toBe(1);
  held.end();
  await a.search.fill("beacon");
  const rows = found(a).getByRole("listitem");
  await expect(rows).toHaveText([/Beacon\.$/]);
  await expect.poll(() => ended).toBe(2);

  await a.search.fill("bed");
  await expect(rows).toHaveCount(20);
  await expect(rows).toContainText(Array.from({ length: 20 }, (_, i) => `Bed ${30 - i} `));
  await expect(found(a)).toContainText("Searched back to");
  await found(a).getByRole("button", { name: "Search older messages" }).click();
  await expect(rows).toHaveCount(30);
  await expect(rows).toContainText(Array.from({ length: 30 }, (_, i) => `Bed ${30 - i} `));
  await expect(found(a).getByRole("button", { name: "Search older messages" })).toHaveCount(0);
});
