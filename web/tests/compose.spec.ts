// How something gets into a message: by keys, by an input method, pasted, dropped.
import { Messenger } from "./fixtures/messenger.js";
import { png } from "./fixtures/png.js";
import { expect, test } from "./fixtures/test.js";

const two = { alice: "Alice Ames", bob: "Bob Brown" };

/** confirm presses the Enter that confirms a word of an input method, as Safari tells it. */
const confirm = (field: HTMLElement) =>
  void field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true, cancelable: true }));

test("the Enter of an input method sends nothing, and opens nothing", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(two);
  await bob.tell(alice, "Good morning.");
  const m = new Messenger(await open(alice));
  await m.search.fill("bob");
  await expect(m.entry("Bob Brown")).toBeVisible();
  await m.search.evaluate(confirm);
  await expect(m.search).toHaveValue("bob");
  await expect(m.page).toHaveURL("/");
  await m.search.press("Enter");
  await m.shows("Bob Brown");
  await m.field.fill("日本語");
  await m.field.evaluate(confirm);
  await expect(m.field).toHaveValue("日本語");
  await m.field.press("Enter");
  await m.has("Good morning.", "日本語");
});

interface Clipboard {
  text?: string;
  /** Of pictures. */
  names: readonly string[];
  content: readonly number[];
}

/** paste pastes a text and pictures, and tells whether the browser is left to paste. */
function paste(field: HTMLElement, { text, names, content }: Clipboard): boolean {
  const clipboardData = new DataTransfer();
  if (text) clipboardData.setData("text/plain", text);
  for (const name of names) clipboardData.items.add(new File([new Uint8Array(content)], name, { type: "image/png" }));
  return field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}

test("cells of a spreadsheet are pasted as a text, and several files are sent one by one", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(two);
  await bob.tell(alice, "Good morning.");
  const m = new Messenger(await open(alice));
  await m.open("Bob Brown");
  const list = m.page.getByRole("list", { name: "Files to send" });
  const attached = list.getByRole("listitem").filter({ has: m.page.getByRole("button") });
  const content = [...png(4, 3)];
  expect(await m.field.evaluate(paste, { text: "potassium\t6.1", names: ["image.png"], content })).toBe(true);
  await expect(list).toHaveCount(0);
  expect(await m.field.evaluate(paste, { names: ["a.png", "b.png"], content })).toBe(false);
  await expect(attached).toContainText(["a.png", "b.png"]);
  await m.field.drop({ files: { name: "labs.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7") } });
  await expect(attached).toContainText(["a.png", "b.png", "labs.pdf"]);
  await expect(list).toContainText("3 files, each sent as a separate message.");
  await list.getByRole("button", { name: "Remove b.png" }).click();
  await expect(attached).toContainText(["a.png", "labs.pdf"]);
  await expect(attached).toHaveCount(2);
  await expect(m.field).toBeFocused();
  await m.write("From bed 12");
  await expect(list).toHaveCount(0);
  await expect(m.messages).toHaveCount(3);
  const history = async () => {
    const { results } = await bob.client.getHistory(alice.token);
    return results.map(({ body, attachments }) => [body ?? "", ...(attachments ?? []).map(({ name }) => name)].join("|"));
  };
  await expect.poll(async () => (await history()).toSorted()).toEqual(["From bed 12|a.png", "Good morning.", "|labs.pdf"]);
});

/** dropFilm drops a file that is too large, made in the page: it need not go there. */
function dropFilm(field: HTMLElement): void {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([new Uint8Array(26 * 2 ** 20)], "film.mov", { type: "video/quicktime" }));
  for (const type of ["dragover", "drop"]) {
    field.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  }
}

test("what is wrong with a file is said until the next key", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(two);
  await bob.tell(alice, "Good morning.");
  const m = new Messenger(await open(alice));
  await m.open("Bob Brown");
  const small = { name: "scan.png", mimeType: "image/png", buffer: png(4, 3) };
  const refused = m.page.getByRole("alert");
  await m.field.evaluate(dropFilm);
  await expect(refused).toHaveText("film.mov is too large (26 MB). The limit is 25 MB.");
  await m.field.press("a");
  await expect(refused).toHaveCount(0);
  await m.field.evaluate(dropFilm);
  await expect(refused).toBeVisible();
  await m.field.drop({ files: small });
  await expect(refused).toHaveCount(0);
});

test("what is wrong with a file is not said for ever; what is wrong with the text is, until it is changed", async ({
  hospital, open,
}) => {
  const { alice, bob } = await hospital(two);
  await bob.tell(alice, "Good morning.");
  const m = new Messenger(await open(alice, "/healthz"));
  await m.page.clock.install();
  await m.page.goto("/");
  await m.open("Bob Brown");
  const refused = m.page.getByRole("alert");
  await m.field.fill("a".repeat(2 ** 17));
  await m.field.press("Enter");
  await expect(refused).toContainText("This message is too long:");
  await m.page.clock.fastForward(60_000);
  await expect(refused).toContainText("This message is too long:");
  await m.field.fill("The film:");
  await m.field.evaluate(dropFilm);
  await expect(refused).toHaveText("film.mov is too large (26 MB). The limit is 25 MB.");
  await m.page.clock.fastForward(10_000);
  await expect(refused).toHaveCount(0);
  await expect(m.field).toHaveValue("The film:");
});

test("a telephone number and a mail address are links", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(two);
  await bob.tell(alice, "Call +49 171 1234567, or mail lab@example.org.");
  const m = new Messenger(await open(alice));
  await m.open("Bob Brown");
  const link = (name: string) => m.message("Call").getByRole("link", { name });
  await expect(link("+49 171 1234567")).toHaveAttribute("href", "tel:+491711234567");
  await expect(link("lab@example.org")).toHaveAttribute("href", "mailto:lab@example.org");
});
