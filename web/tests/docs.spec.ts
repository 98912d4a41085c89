// The page of the interface: its guides and calls, to read, to copy and to try.
import { fileURLToPath } from "node:url";
import type { Locator } from "@playwright/test";
import { Messenger, signIn } from "./fixtures/messenger.js";
import { password } from "./fixtures/hospital.js";
import { expect, test } from "./fixtures/test.js";

test("it opens with what the API is, a first call and where to go", async ({ open, server }) => {
  const page = await open(undefined, "/docs");
  const main = page.getByRole("main");
  await expect(page.getByRole("heading", { level: 1, name: "Signet API" })).toBeVisible();
  await expect(main.getByRole("heading", { level: 2 })).toHaveText("Send and receive messages from your programs");
  await expect(main.getByText("Your programs use the API to send messages")).toBeInViewport();
  await expect(main.getByRole("group", { name: "curl" })).toContainText(`curl -i '${server.url}/v2/user'`);
  for (const [card, call] of [["Send a message", "sendMessage"], ["Read the queue", "getEvents"], ["See the status", "getMessageStatus"]] as const) {
    await expect(main.getByRole("link", { name: card })).toHaveAttribute("href", `/docs/${call}`);
  }
  await main.getByRole("link", { name: "Send a message" }).click();
  await expect(page).toHaveURL("/docs/sendMessage");
  await expect(main.getByRole("heading", { level: 2, name: "Send a message" })).toBeFocused();
});

for (const width of [360, 800, 1280]) {
  test(`the title stands in one line, ${width} pixels wide`, async ({ open }) => {
    const page = await open(undefined, "/docs", { viewport: { width, height: 800 } });
    const title = page.getByRole("heading", { level: 1 });
    expect((await boxOf(title)).height).toBeLessThan(40);
  });
}

test("a key is put into all code, and kept and sent nowhere", async ({ open }) => {
  const page = await open(undefined, "/docs");
  const sent: string[] = [];
  page.on("request", (request) => sent.push(JSON.stringify([request.url(), request.postData(), request.headers()])));
  const main = page.getByRole("main");
  const code = main.getByRole("group", { name: "curl" });
  await expect(code).toContainText("-u 'YOUR_KEY:YOUR_SECRET'");
  await main.getByLabel("API key", { exact: true }).fill("IhKtJ0RlgLKOmxgJTeKdNn");
  await main.getByLabel("Secret", { exact: true }).fill("not-for-others");
  await main.getByLabel("Organization ID", { exact: true }).fill("Bd0Kh8oOOL8dKLzdocJ2isAj");
  await expect(code).toContainText("-u 'IhKtJ0RlgLKOmxgJTeKdNn:not-for-others'");
  await main.getByRole("link", { name: "Send a message" }).click();
  await expect(code).toContainText("-u 'IhKtJ0RlgLKOmxgJTeKdNn:not-for-others'");
  await expect(code).toContainText("-H 'TT-X-Organization-Key: Bd0Kh8oOOL8dKLzdocJ2isAj'");
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
  expect(kept).not.toContain("not-for-others");
  await page.reload();
  await expect(code).toContainText("-u 'YOUR_KEY:YOUR_SECRET'");
  expect(sent.join()).not.toContain("not-for-others");
});

test("code is shown in the language that was chosen, for all calls, and is copied", async ({ desk }) => {
  const context = await desk({ permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  await page.goto("/docs/sendMessage");
  const main = page.getByRole("main");
  const tabs = main.getByRole("tablist", { name: "Language of the code" });
  await expect(tabs.getByRole("tab")).toHaveText(["curl", "Go", "TypeScript", "Python", "Java", "C#"]);
  await tabs.getByRole("tab", { name: "curl" }).press("ArrowRight");
  await expect(tabs.getByRole("tab", { name: "Go" })).toBeFocused();
  await page.keyboard.press("End");
  await expect(main.getByRole("group", { name: "C#" })).toContainText("new HttpRequestMessage(HttpMethod.Post");
  await tabs.getByRole("tab", { name: "Python" }).click();
  const code = main.getByRole("group", { name: "Python" });
  await expect(code).toContainText(`"recipient": "bob@example.com"`);
  await main.getByRole("tabpanel").getByRole("button", { name: "Copy code" }).click();
  await expect(main.getByRole("status").filter({ hasText: "Copied." })).toHaveCount(1);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await code.textContent());
  await page.goto("/docs/getSelf");
  await expect(main.getByRole("group", { name: "Python" })).toContainText("urllib.request.Request");
  await main.getByRole("tab", { name: "curl" }).click();
  await page.goto("/docs/sendMessage");
  await main.getByLabel("Form of the call").selectOption("With a file");
  await expect(main.getByRole("group", { name: "curl" })).toContainText("-F 'attachment=@report.pdf;type=application/pdf'");
});

test("code has what was filled in", async ({ open }) => {
  const page = await open(undefined, "/docs/getHistory");
  const main = page.getByRole("main");
  await main.getByRole("textbox", { name: "entity" }).fill("it's/me");
  await main.getByRole("textbox", { name: "limit" }).fill("7");
  await expect(main.getByRole("group", { name: "curl" })).toContainText("/v2/conversation/it%27s%2Fme/message?limit=7'");
  await page.goto("/docs/sendMessage");
  await main.getByRole("textbox", { name: "Request body" }).fill(`{"recipient": "me", "body": "It's \\"mine\\""}`);
  await expect(main.getByRole("group", { name: "curl" })).toContainText(`"body": "It'\\''s \\"mine\\""`);
  await expect(main.getByRole("button", { name: "Send request" })).toHaveCount(0); // nobody is signed in
});

test("a call has its fields, answers and errors, each with an address", async ({ open }) => {
  const page = await open(undefined, "/docs/sendMessage");
  const main = page.getByRole("main");
  const terms = main.getByRole("term");
  await expect(terms.filter({ hasText: /^recipient#required$/ })).toBeVisible();
  await expect(main.getByRole("group", { name: "Example" }).filter({ hasText: `"status": "success"` })).toBeVisible();
  const refused = main.getByRole("definition").filter({ hasText: "reply_to_unknown" });
  await expect(refused).toContainText("Send without it.");
  await expect(main.getByText("Sign in to try this call with your own account.")).toBeVisible();
  await main.getByRole("link", { name: "Link to recipient", exact: true }).click();
  await expect(page).toHaveURL("/docs/sendMessage#body.recipient");

  // The last one is folded, and what it says comes after the call.
  for (const place of ["body.ttl", "200.reply.sort_number", "error.file_too_large", "error.unavailable"]) {
    await page.goto("/docs"); // an address of the page that is shown would not load it
    await page.goto(`/docs/sendMessage#${place}`);
    await expect.poll(() => page.evaluate(inSight)).toBe(place);
  }
});

test("an answer without an example has one that is made of its schema", async ({ open, server }) => {
  const page = await open(undefined);
  const document = await (await fetch(`${server.direct}/openapi.json`)).json() as { paths: Record<string, any> };
  const { content } = document.paths["/v2/user"].get.responses["200"];
  delete content["application/json"].example;
  delete content["application/json"].examples;
  await page.route("/openapi.json", (route) => route.fulfill({ json: document }));
  await page.goto("/docs/getSelf");
  const example = page.getByRole("main").getByRole("group", { name: "Example" });
  await expect(example).toContainText(`"status": "success"`);
  await expect(example).toContainText(`"display_name": "text"`);
});

test("the search finds calls, fields and guides by keyboard, and marks the hit", async ({ open }) => {
  const page = await open(undefined, "/docs");
  await expect(page.getByRole("button", { name: "Search calls and guides" })).toBeVisible();
  await expect(page.getByRole("main").getByRole("heading", { level: 2 })).toBeVisible();
  await page.keyboard.press("/");
  const search = page.getByRole("dialog", { name: "Search calls and guides" });
  const field = search.getByRole("searchbox");
  await expect(field).toBeFocused();
  await field.fill("recall message");
  const calls = search.getByRole("region", { name: "API calls" }).getByRole("link");
  await expect(calls).toContainText(["Recall a message"]);
  await expect(calls.getByText("Recall", { exact: true })).not.toHaveCount(0); // marked
  await field.pressSequentially(" zebra");
  await expect(search.getByRole("status").filter({ hasText: "Nothing found." })).toBeVisible();

  await field.fill("reply_to_unknown");
  const guides = search.getByRole("region", { name: "Guides" }).getByRole("link");
  await expect(guides).toContainText([/reply_to_unknown/]);
  await field.fill("max_ttl");
  const fields = search.getByRole("region", { name: "Fields" }).getByRole("link");
  await expect(fields).toContainText(["max_ttl"]);
  await field.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await expect(field).toBeFocused();
  await field.fill("delete all events");
  await expect(calls).toHaveCount(1);
  await field.press("Enter");
  await expect(page).toHaveURL("/docs/deleteEvents");
  await expect(page.getByRole("main").getByRole("heading", { level: 2, name: "Delete all events" })).toBeFocused();
  await expect(search).toBeHidden();
});

test("a guide is read there, and leads to calls and to other guides", async ({ open }) => {
  const page = await open(undefined, "/docs/guides/messages");
  const main = page.getByRole("main");
  await expect(main.getByRole("heading", { level: 2 })).toHaveText("Messages");
  await expect(main.getByRole("group", { name: "Table" }).filter({ hasText: "message_id" })).toBeVisible();
  await main.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: /^Recall/ }).click();
  await expect(page).toHaveURL("/docs/guides/messages#recall-delete-messagemessage");
  await expect(main.getByRole("heading", { name: /^Recall/ })).toBeFocused();
  await main.getByRole("link", { name: "attachments", exact: true }).click();
  await expect(main.getByRole("heading", { level: 2 })).toHaveText("Attachments");
  await page.goBack();
  await page.goto("/docs/sendMessage");
  await main.getByRole("link", { name: "Guide: Messages" }).click();
  await expect(page).toHaveURL("/docs/guides/messages#send-post-message");
  await expect(main.getByRole("heading", { name: "Send: POST /message" })).toBeInViewport();
  await page.goto("/docs/guides/rules");
  await expect(main.getByText("Every call is an HTTP request")).toBeVisible();
});

/** Tree is a guide as web/guides.mjs makes it. */
interface Tree {
  readonly name: string;
  readonly blocks: readonly { readonly kind: string; readonly id?: string }[];
}

test("all links of the guides lead somewhere", async () => {
  const file = new URL("../guides.mjs", import.meta.url).href;
  const { read } = (await import(file)) as { read: (directory: string) => Tree[] };
  const guides = read(fileURLToPath(new URL("../../docs/api", import.meta.url)));
  expect(guides.length).toBeGreaterThan(25);
  const places = new Set(guides.flatMap(({ name, blocks }) =>
    ["", ...blocks.flatMap(({ id }) => id ?? [])].map((id) => `/docs/guides/${name}${id && `#${id}`}`)));
  const links = guides.flatMap(({ name, blocks }) => [...JSON.stringify(blocks).matchAll(/"kind":"link","to":"([^"]+)"/g)]
    .map(([, to = ""]) => (to.startsWith("#") ? `/docs/guides/${name}${to}` : to)));
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter((to) => !to.startsWith("https:") && !places.has(to))).toEqual([]);
  expect(JSON.stringify(guides), "what only HTML would show").not.toMatch(/&(lt|gt|amp|quot|#\d+);/);
});

test("where there is room, text and code lie side by side, and the code stays", async ({ open }) => {
  const page = await open(undefined, "/docs/sendMessage");
  const main = page.getByRole("main");
  const list = page.getByRole("navigation", { name: "Contents" });
  const title = main.getByRole("heading", { level: 2 });
  const code = main.getByRole("tabpanel");
  await expect(code).toBeVisible();
  const [one, two, three] = [await boxOf(list), await boxOf(title), await boxOf(code)];
  expect(two.x).toBeGreaterThanOrEqual(one.x + one.width);
  expect(three.x).toBeGreaterThanOrEqual(two.x + two.width);
  await main.getByRole("heading", { level: 3, name: "Errors" }).scrollIntoViewIfNeeded();
  await expect(title).not.toBeInViewport();
  await expect(code).toBeInViewport();
  await expect(list.getByRole("link", { name: "Send a message" })).toBeInViewport();

  await page.setViewportSize({ width: 800, height: 800 });
  await title.scrollIntoViewIfNeeded();
  const [left, right, below] = [await boxOf(list), await boxOf(title), await boxOf(code)];
  expect(right.x).toBeGreaterThanOrEqual(left.x + left.width);
  expect(below.y).toBeGreaterThan(right.y + right.height);
});

test("on a phone the text comes first, and the list lies behind a button", async ({ open }) => {
  const page = await open(undefined, "/docs", { viewport: { width: 360, height: 720 } });
  const main = page.getByRole("main");
  const list = page.getByRole("navigation", { name: "Contents" });
  const button = page.getByRole("button", { name: "Contents" });
  await expect(main.getByText("Your programs use the API to send messages")).toBeInViewport();
  await expect(list).toBeHidden();
  await button.click();
  await expect(list).toBeVisible();
  await list.getByText("Messages", { exact: true }).filter({ visible: true }).press("Escape"); // a guide has the same name
  await expect(list).toBeHidden();
  await expect(button).toBeFocused();
  await button.click();
  await list.getByText("Events", { exact: true }).filter({ visible: true }).click();
  await list.getByRole("link", { name: "Read the event queue" }).click();
  await expect(list).toBeHidden();
  await expect(main.getByRole("heading", { level: 2, name: "Read the event queue" })).toBeFocused();
});

test("on paper there is what is folded, and nothing that only a screen can do", async ({ open }) => {
  const page = await open(undefined, "/docs/sendMessage");
  const main = page.getByRole("main");
  await expect(main.getByRole("definition").filter({ hasText: "reply_to_unknown" })).toBeVisible();
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await expect(main.getByRole("definition").filter({ hasText: "credentials_invalid" })).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Contents" })).toBeHidden();
  await expect(main.getByRole("tablist")).toBeHidden();
  await expect(main.getByRole("button", { name: "Copy code" })).toHaveCount(0);
});

test("who is signed in tries a call, and is asked before one that changes something", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const page = await open(undefined);
  await signIn(page, alice.username, password);
  await expect(new Messenger(page).list).toBeVisible();
  await page.goto("/docs/sendMessage");
  const main = page.getByRole("main");
  const call = { recipient: bob.username, body: "By hand." };
  await main.getByRole("textbox", { name: "Request body" }).fill(JSON.stringify(call));
  await expect(main.getByRole("group", { name: "curl" })).toContainText("By hand.");
  await main.getByRole("button", { name: "Send request" }).click();
  const dialog = page.getByRole("dialog", { name: "Send this request?" });
  await expect(dialog).toBeVisible();
  expect(await bob.client.getUnreadCount("me")).toMatchObject({ unread_count: 0 });
  await dialog.getByRole("button", { name: "Send request" }).click();
  await expect(main.getByRole("group", { name: "Response", exact: true })).toHaveText(/^204/);
  expect(await bob.client.getUnreadCount("me")).toMatchObject({ unread_count: 1 });
});

test("an address that would lead to another call is not asked for", async ({ hospital, open }) => {
  const { alice } = await hospital({ alice: "Alice Ames" });
  const page = await open(undefined);
  await signIn(page, alice.username, password);
  await expect(new Messenger(page).list).toBeVisible();
  await page.goto("/docs/getUser");
  const main = page.getByRole("main");
  const field = main.getByRole("textbox", { name: "user", exact: true });
  await field.fill("..");
  await main.getByRole("button", { name: "Send request" }).click();
  await expect(field).toHaveAccessibleDescription("“.” and “..” can’t stand in an address.");
  await expect(main.getByRole("group", { name: "Response", exact: true })).toHaveCount(0);
  await field.fill("me");
  await expect(field).toHaveAccessibleDescription("in the path");
  await main.getByRole("button", { name: "Send request" }).click();
  await expect(main.getByRole("group", { name: "Response", exact: true })).toHaveText(/^200/);
});

test("with other names of the vendor, code and guides have these", async ({ page, server }) => {
  const document = (await (await fetch(`${server.direct}/openapi.json`)).text())
    .replaceAll("TT-X-", "AC-X-").replaceAll("tigertext:", "acme:");
  await page.route("**/openapi.json", (route) => route.fulfill({ body: document, contentType: "application/json" }));
  const main = page.getByRole("main");
  for (const [place, words] of [["createUser", "-H 'AC-X-Organization-Key: "], ["guides/messages", "AC-X-Message-Id: <message>"]]) {
    await page.goto(`${server.url}/docs/${place}`);
    await expect(main.getByRole("group").filter({ hasText: words ?? "" })).not.toHaveCount(0);
    await expect(main).not.toContainText("TT-X-");
  }
});

/** inSight is the id of what has the focus, where it is in the window. */
function inSight(): string | undefined {
  const place = document.activeElement;
  const { top, bottom } = place?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
  return top >= 0 && top < innerHeight && bottom > top ? place?.id : undefined;
}

async function boxOf(of: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await of.boundingBox();
  if (!box) throw new Error("it is not shown");
  return box;
}
