// What a page shows before its script runs, and what stands at an address where there is no page.
import { newContext, expect, test } from "./fixtures/test.js";

for (const [path, title] of [["/", "Signet"], ["/console", "Signet console"], ["/docs", "Signet API"]] as const) {
  test(`${path} says what it is before its script has come`, async ({ desk, server }) => {
    const page = await (await desk({ colorScheme: "light" })).newPage();
    // The script comes when somebody has looked.
    let come = () => {};
    const looked = new Promise<void>((resolve) => (come = resolve));
    await page.route(/\/assets\/(messenger|console|docs)-\w+\.js$/, async (route) => {
      await looked;
      await route.continue();
    });
    await page.goto(server.url + path, { waitUntil: "commit" });
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
    await expect(page.getByRole("main")).toHaveAttribute("aria-busy", "true");
    come();
    await expect(page.getByRole("textbox").or(page.getByRole("searchbox"))).not.toHaveCount(0);
    await expect(page.getByRole("main")).toHaveCount(1);
    await expect(page.getByRole("main")).not.toHaveAttribute("aria-busy", "true");
  });
}

for (const path of ["/", "/console", "/docs"]) {
  test(`${path} logs nothing where nobody is signed in`, async ({ browser, server }) => {
    const context = await newContext(browser, { baseURL: server.url });
    const page = await context.newPage();
    const logged: string[] = [];
    page.on("console", (message) => logged.push(message.text()));
    await page.goto(path);
    await expect(page.getByRole("button", { name: "Sign in", exact: true }).or(page.getByRole("link", { name: "Sign in", exact: true }))).toBeVisible();
    expect(logged).toEqual([]);
    await context.close();
  });
}

test("a page that is not there yet has the theme that one chose", async ({ desk, server }) => {
  const page = await (await desk({ colorScheme: "light" })).newPage();
  await page.addInitScript(() => localStorage.setItem("signet-theme", "dark"));
  await page.route(/\/assets\/messenger-\w+\.js$/, () => undefined); // it never comes
  await page.goto(server.url, { waitUntil: "commit" });
  await expect(page.getByRole("heading", { level: 1, name: "Signet" })).toBeVisible();
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(await ground()).toBe("rgb(22, 24, 28)");
});

// A browser in which a test turns scripts off still reads a page as one that has them.
test("a page says to browsers without JavaScript that it needs it", async ({ server }) => {
  const content = await (await fetch(server.direct)).text();
  const [, said] = /<noscript>([^]*)<\/noscript>/.exec(content) ?? [];
  for (const words of ["Signet needs JavaScript.", "Signet braucht JavaScript.", "Signet a besoin de JavaScript."]) {
    expect(said).toContain(words);
  }
});

for (const [locale, words, start] of [
  ["en-GB", "There is no page at this address.", "Go to Signet"],
  ["de-AT", "Unter dieser Adresse gibt es keine Seite.", "Zu Signet"],
  ["fr-CH", "Il n’y a pas de page à cette adresse.", "Aller à Signet"],
] as const) {
  test(`a wrong address leads on to Signet, in ${locale}`, async ({ browser, server }) => {
    // Not a desk of its own: its pages must not answer with an error, and this one has to.
    const context = await newContext(browser, { baseURL: server.url, locale });
    const page = await context.newPage();
    const wrong: string[] = [];
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    const answer = await page.goto("/nope");
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole("main")).toContainText(words);
    await page.getByRole("link", { name: start }).click();
    await expect(page).toHaveURL("/");
    await expect(page.getByRole("textbox").or(page.getByRole("button"))).not.toHaveCount(0);
    expect(wrong).toEqual([expect.stringMatching(/^Failed to load resource: .*404/)]); // the browser's own word of it
    await context.close();
  });
}

test("a program at a wrong address gets the interface's answer", async ({ server }) => {
  const answer = await fetch(`${server.direct}/nope`);
  expect(answer.status).toBe(404);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(await answer.json()).toMatchObject({ error: { code: "endpoint_unknown" } });
});

test("what is typed to sign in is left as it is, and a password can be looked at", async ({ desk }) => {
  const page = await (await desk()).newPage();
  await page.goto("/");
  const asIs = async (label: string) => {
    const field = page.getByLabel(label);
    await expect(field).toHaveAttribute("autocapitalize", "none");
    await expect(field).toHaveAttribute("autocorrect", "off");
    await expect(field).toHaveAttribute("spellcheck", "false");
  };
  const password = page.getByLabel("Password");
  await asIs("Username");
  await asIs("Password");
  await password.fill("correct horse");
  await page.getByRole("button", { name: "Show what is typed" }).click();
  await expect(password).toHaveAttribute("type", "text");
  await expect(password).toHaveValue("correct horse");
  await page.getByRole("button", { name: "Hide what is typed" }).click();
  await expect(password).toHaveAttribute("type", "password");
  await page.getByRole("button", { name: "Sign in with an API key" }).click();
  await asIs("API key");
  await asIs("Secret");
});
