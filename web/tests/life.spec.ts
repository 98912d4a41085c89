// What a message goes through: answered, forwarded, taken back, over; and the files that it brings.
import { readFile, writeFile } from "node:fs/promises";
import type { Download, Locator, Page } from "@playwright/test";
import type { Person } from "./fixtures/hospital.js";
import { Messenger } from "./fixtures/messenger.js";
import { picture } from "./fixtures/picture.js";
import { png } from "./fixtures/png.js";
import { expect, test } from "./fixtures/test.js";
import { withTime } from "./fixtures/time.js";

test("a message is answered, forwarded and taken back by its menu", async ({ hospital, open }) => {
  const { alice, bob, carol } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke" });
  await carol.tell(alice, "Good morning.");
  await bob.tell(alice, "Is bed 12 free?");
  const a = new Messenger(await open(alice));
  await a.open("Bob Brown");
  await a.act("Is bed 12 free?", "Reply");
  await expect(a.answering).toContainText("Bob BrownIs bed 12 free?");
  await expect(a.field).toBeFocused();
  await a.page.keyboard.type("It is.");
  await a.page.keyboard.press("Enter");
  await expect(a.messages).toHaveText([/^Is bed 12 free\?/, /It is\./]);
  await expect(a.answering).toHaveCount(0);
  await expect(a.message("It is.").getByRole("button", { name: "Bob Brown Is bed 12 free?" })).toBeVisible();

  await a.forward("It is.", "Carol Clarke");
  const c = new Messenger(await open(carol));
  await c.open("Alice Ames");
  await expect(c.messages).toHaveText([/^Good morning\./, /It is\./]);
  await expect(c.message("It is.").getByText("Forwarded from Alice Ames", { exact: true })).toBeVisible();
  await a.open("Carol Clarke");
  await expect(a.messages).toHaveText([/^Good morning\./, /It is\./]);
  await a.hasStatus("It is.", "Read");

  await a.write("The wrong window");
  await expect(c.messages).toHaveText([/^Good morning\./, /It is\./, /^The wrong window/]);
  await a.act("The wrong window", "Recall");
  await a.dialog.getByRole("button", { name: "Recall" }).click();
  for (const { page, messages } of [a, c]) {
    await expect(messages).toHaveText([/^Good morning\./, /It is\./, /^This message was recalled\./]);
    await expect(page.getByText("The wrong window")).toHaveCount(0);
  }
});

const two = { alice: "Alice Ames", bob: "Bob Brown" };

/** meet opens the conversation of two people, in which Bob said something, at a device of each. */
async function meet(open: (who: Person, path: string) => Promise<Page>, alice: Person, bob: Person): Promise<[Messenger, Messenger]> {
  await bob.tell(alice, "Good morning.");
  const a = new Messenger(await open(alice, "/healthz"));
  const b = new Messenger(await open(bob, "/healthz"));
  for (const { page } of [a, b]) {
    await withTime(page);
    await page.goto("/");
  }
  await a.open(bob.name);
  await b.open(alice.name);
  return [a, b];
}

/** goOn has time go on at a device. */
const goOn = ({ page }: Messenger, by: number) => page.evaluate((by) => window.goOn(by), by);

/** lasts waits until a device shows how long a message is there. */
const lasts = (m: Messenger, words: string, left: string | RegExp) =>
  expect(m.message(words).getByText(left, { exact: true })).toBeVisible();

test("where a page has no clipboard, copying says so", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(two);
  const [a] = await meet(open, alice, bob);
  await a.page.evaluate(() => void Object.defineProperty(navigator, "clipboard", { value: undefined })); // as by plain HTTP
  await a.act("Good morning.", "Copy");
  await expect(a.page.getByText("Copying isn’t possible here. Select the text instead.", { exact: true })).toBeVisible();
});

test("a message lasts as many minutes as its sender says, which count down", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(two);
  const [a, b] = await meet(open, alice, bob);
  const composer = a.page.getByRole("main");
  const lifetime = composer.getByRole("button", { name: "Expiration" });
  const pressed = composer.getByRole("button", { pressed: true });

  await composer.getByRole("button", { name: "Urgent" }).click();
  await lifetime.click();
  await composer.getByRole("menu").getByRole("menuitemradio", { name: "5 min", exact: true }).click();
  await expect(lifetime).toHaveText("5 min");
  await expect(pressed).toHaveAccessibleName("Urgent");
  const words = "For five minutes";
  await a.write(words);
  for (const m of [a, b]) {
    await expect(m.messages).toHaveText([/^Good morning\./, /For five minutes/]);
    await expect(m.message(words).getByText("Urgent", { exact: true })).toBeVisible();
  }
  await expect(lifetime).toHaveText(""); // that was for this one
  await expect(pressed).toHaveCount(0);

  const [brief] = (await bob.client.getHistory(alice.token, { limit: 1 })).results;
  const end = Date.parse(brief?.expires_time ?? "");
  expect(end - Date.parse(brief?.created_time ?? "")).toBe(300_000);
  for (const m of [a, b]) {
    // What is left is told in whole minutes, rounded up.
    const passed = Date.now() - (end - 300_000);
    await goOn(m, 30_000 - passed);
    await lasts(m, words, "5 min");
    await goOn(m, 120_000);
    await lasts(m, words, "3 min");
    await goOn(m, 120_000);
    await lasts(m, words, /^\d+ sec$/);
    await goOn(m, 31_000);
    await m.has("Good morning.");
  }
});

test("a message that is deleted on read is opened by hand, and lasts a minute from then on", async ({
  hospital, open,
}) => {
  const { alice, bob } = await hospital(two);
  const [a, b] = await meet(open, alice, bob);
  const words = "The code is 4711.";
  await a.page.getByRole("button", { name: "Delete after reading" }).click();
  await a.write(words);
  const seal = b.message("This message is deleted one minute after you open it.");
  await expect(seal).toBeVisible();
  // In both lists: somebody may look over the sender's shoulder too.
  await expect(b.entry("Alice Ames")).toContainText("Hidden message (deleted after reading)");
  await expect(a.entry("Bob Brown")).toContainText("Hidden message (deleted after reading)");
  await expect(a.list.getByText("4711")).toHaveCount(0);
  await expect(b.page.getByText("4711")).toHaveCount(0);
  await a.hasStatus(words, "Delivered");
  await expect(a.message(words)).not.toContainText(/\d (min|sec)/);
  await picture(b.page, "seal");

  await seal.getByRole("button", { name: "Open message" }).click();
  await expect(b.message(words).getByText(words, { exact: true })).toBeVisible();
  await a.hasStatus(words, "Read");
  const [secret] = (await bob.client.getHistory(alice.token, { limit: 1 })).results;
  const [row] = (await alice.client.getMessageStatus(secret?.message_id ?? "")).statuses;
  expect(row?.status).toBe("Read");
  for (const m of [a, b]) {
    await lasts(m, words, /^\d+ sec$/);
    await goOn(m, 61_000);
    await m.has("Good morning.");
  }
});

test("a message that is deleted on read is in clear only where one opened it, and nowhere once it is over", async ({
  hospital, open,
}) => {
  const { alice, bob } = await hospital(two);
  const [, b] = await meet(open, alice, bob);
  const other = new Messenger(await b.page.context().newPage());
  await withTime(other.page);
  await other.page.goto("/");
  await other.open("Alice Ames");
  const elsewhere = new Messenger(await open(bob));
  await elsewhere.open("Alice Ames");
  const words = "The code is 4711.";
  const pages = [b, other, elsewhere];
  const seal = (m: Messenger) => m.message("This message is deleted one minute after you open it.");
  const isSealed = async (m: Messenger) => {
    await expect(seal(m)).toBeVisible();
    await expect(m.page.getByText("4711")).toHaveCount(0);
  };
  const id = await alice.tell(bob, { body: words, dor: true });
  for (const m of pages) await isSealed(m);

  await seal(b).getByRole("button", { name: "Open message" }).click();
  await expect(b.message(words).getByText(words, { exact: true })).toBeVisible();
  await lasts(other, "This message is deleted", /^\d+ sec$/); // the other tab knows, and shows it no more than before
  await bob.client.muteConversation({ sender_token: alice.token, duration: 60 }); // which has the pages load the list
  for (const m of [other, elsewhere]) {
    await expect(m.entry("Alice Ames").getByRole("img", { name: "Muted" })).toBeVisible();
    await isSealed(m);
  }
  await b.page.reload();
  await isSealed(b);
  await goOn(other, 61_000);
  await other.has("Good morning.");

  // The server has erased it before the page has asked when it was read.
  await elsewhere.page.route(`**/v2/message/${id}/status`, async (route) => {
    const error = { status: 404, code: "not_found", message: "The associated lookup was not found." };
    await route.fulfill({ status: 404, json: { status: "fail", error } });
  });
  await elsewhere.comeBack();
  await elsewhere.has("Good morning.");
});

/** contentOf is what a file holds that was downloaded. */
async function contentOf(download: Download): Promise<Buffer> {
  return readFile(await download.path());
}

/** widthOf is how wide a picture is that has come: of an image, or of the one that a button shows. */
const widthOf = (picture: Locator) =>
  picture.evaluate((e) => (e instanceof HTMLImageElement ? e : e.querySelector("img"))?.naturalWidth);

test("files are attached by the button and dropped: a picture is shown in place, one too large is refused", async ({
  hospital, open,
}, info) => {
  const { alice, bob } = await hospital(two);
  const film = info.outputPath("film.mov");
  await writeFile(film, Buffer.alloc(26 * 2 ** 20));
  const scan = { name: "scan.png", mimeType: "image/png", buffer: png(40, 30) };
  const labs = { name: "labs.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7") };
  const [a, b] = await meet(open, alice, bob);
  const pick = async (file: string | typeof scan) => {
    const chosen = a.page.waitForEvent("filechooser");
    await a.page.getByRole("button", { name: "Attach a file" }).click();
    await (await chosen).setFiles(file);
  };
  const attached = a.page.getByRole("list", { name: "Files to send" }).getByRole("listitem");

  await pick(film);
  await expect(a.page.getByRole("alert")).toHaveText("film.mov is too large (26 MB). The limit is 25 MB.");
  await expect(attached).toHaveCount(0);
  await pick(scan);
  await expect(attached.getByText("scan.png", { exact: true })).toBeVisible();
  await a.write("The scan.");
  const shown = b.message("The scan.").getByRole("button", { name: "View scan.png" });
  await expect.poll(() => widthOf(shown)).toBe(40);
  await expect(b.messages).toHaveText([/^Good morning\./, /^The scan\./]);
  await shown.click();
  const large = b.page.getByRole("dialog", { name: "Picture from Alice Ames" });
  await expect.poll(() => widthOf(large.getByRole("img", { name: "scan.png" }))).toBe(40);
  const kept = b.page.waitForEvent("download");
  await large.getByRole("link", { name: "Download" }).click();
  expect((await kept).suggestedFilename()).toBe("scan.png");
  expect((await contentOf(await kept)).equals(scan.buffer)).toBe(true);
  await large.getByRole("button", { name: "Close" }).click();

  await a.field.drop({ files: labs });
  await expect(attached.getByText("labs.pdf", { exact: true })).toBeVisible();
  await a.page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(b.messages).toHaveText([/^Good morning\./, /^The scan\./, /^labs\.pdf/]);
  const got = b.page.waitForEvent("download");
  await b.message("labs.pdf").getByRole("link", { name: "labs.pdf" }).click();
  expect((await got).suggestedFilename()).toBe("labs.pdf");
  expect((await contentOf(await got)).toString()).toBe("%PDF-1.7");
});

test("only what was on the screen is told as read: not what one leaps over, nor what comes into a tab unseen", async ({
  hospital, open,
}) => {
  const { alice, bob } = await hospital(two);
  const ids: string[] = [];
  for (let i = 0; i < 60; i++) ids.push(await bob.tell(alice, `Result ${i}\n\nof the laboratory`));
  const a = new Messenger(await open(alice));
  await a.open("Bob Brown");
  await expect(a.message("Result 0 of")).toBeVisible();
  await a.page.getByRole("button", { name: "Go to latest message" }).click();
  await expect(a.message("Result 59 of")).toBeInViewport();

  /** unread are those that Bob has not been told that Alice read. */
  const unread = async () => {
    const { results } = await bob.client.getHistory(alice.token, { limit: 60 });
    return results.filter(({ status }) => status !== "Read").map(({ message_id }) => ids.indexOf(message_id)).reverse();
  };
  await expect.poll(unread).not.toContain(59);
  const left = await unread();
  expect(left).not.toContain(0);
  expect(left).toContain(30);
  const inList = a.entry("Bob Brown").getByRole("img", { name: `${left.length} unread` });
  await expect(inList).toBeVisible();
  await expect(a.page).toHaveTitle(`(${left.length}) Signet`);

  // They are when they have been.
  const box = a.page.getByRole("region", { name: "Messages" });
  await expect(async () => {
    await box.evaluate((box) => box.scrollBy(0, -box.clientHeight / 2));
    expect(await unread()).toEqual([]);
  }).toPass();
  await expect(a.page).toHaveTitle("Signet");
});

test("of unread messages that could not be loaded none is told as read, and they come once they can", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(two);
  for (let i = 0; i < 250; i++) await bob.tell(alice, `Line ${i}.`);
  const a = new Messenger(await open(alice, "/", { serviceWorkers: "block" }));
  await a.page.route(/\/message\?.*before=/, (route) => route.abort());
  await a.open("Bob Brown");
  await expect(a.message("Line 50.")).toBeInViewport(); // as far as they have come
  const left = async () => (await alice.client.getUnreadCount("me")).unread_count;
  const box = a.page.getByRole("region", { name: "Messages" });
  await expect(async () => {
    await box.evaluate((box) => box.scrollBy(0, box.clientHeight / 2));
    expect(await left()).toBeLessThanOrEqual(50);
  }).toPass({ intervals: [50] });
  expect(await left()).toBe(50);

  await a.page.unrouteAll();
  await a.comeBack();
  await a.page.getByRole("button", { name: "To the first unread message" }).click();
  await expect(a.message("Line 0.")).toBeInViewport();
  expect(await left()).toBeGreaterThan(0);
});
