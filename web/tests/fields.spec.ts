// Fields of the console: what is wrong with what somebody types, what may stay empty, and what stands in one row.
import { Console } from "./fixtures/console.js";
import { expect, operator, test } from "./fixtures/test.js";

test("what is missing is said in the language that the person chose, not in the browser's", async ({ hospital, open }) => {
  const { organization } = await hospital({});
  const page = await open(operator, "/healthz");
  await page.evaluate(() => localStorage.setItem("signet-language", "de")); // the browser's is English
  await page.goto(`/console/organizations/${organization}/people`);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Passwort").fill("correct horse battery");
  await dialog.getByRole("button", { name: "Weiter" }).click();
  const c = new Console(page);
  await c.main.getByRole("button", { name: "Personen hinzufügen" }).click();
  await c.main.getByRole("menuitem", { name: "Neue Person" }).click();
  const name = dialog.getByLabel("Anzeigename");
  await expect(name).toBeFocused();
  await dialog.getByRole("button", { name: "Anlegen" }).click();
  await expect(name).toBeFocused();
  await expect(name).toHaveAttribute("aria-invalid", "true");
  await expect(name).toHaveAccessibleDescription("Füllen Sie dieses Feld aus.");
  await name.fill("Jürgen Jahn");
  await dialog.getByRole("button", { name: "Anlegen" }).click();
  await expect(name).not.toHaveAttribute("aria-invalid");
  await expect(dialog.getByLabel("E-Mail")).toHaveAccessibleDescription("Geben Sie Benutzername, E-Mail oder Telefon ein.");
});

test("a new person's fields say what may stay empty, and take what is typed as it is", async ({ hospital, open }) => {
  const { organization } = await hospital({});
  const c = new Console(await open(operator, `/console/organizations/${organization}/people`));
  await c.elevate();
  await c.add("New person");
  for (const label of ["Job title (optional)", "Department (optional)", "Initial password (optional)"]) {
    await expect(c.dialog.getByLabel(label, { exact: true })).toBeVisible();
  }
  const field = (label: string) => c.dialog.getByLabel(label, { exact: true });
  for (const one of [field("Email"), field("Username")]) {
    await expect(one).toHaveAttribute("type", "text"); // a field for email changes what is typed
    await expect(one).toHaveAttribute("autocapitalize", "none");
  }
  await expect(field("Email")).toHaveAttribute("inputmode", "email");
  await expect(field("Username")).not.toHaveAttribute("inputmode");
});

test("the head of the list of people has one button, and its filters one row", async ({ hospital, open }) => {
  const { organization } = await hospital({ alice: "Alice Ames" });
  const c = new Console(await open(operator, `/console/organizations/${organization}/people`));
  await c.elevate();
  const list = c.listing("People");
  const tools = [list.getByRole("searchbox"), list.getByLabel("Show"), list.getByRole("button", { name: "Export", exact: true })];
  const rows = async () => {
    const places = await Promise.all(tools.map((tool) => tool.boundingBox()));
    return new Set(places.map((place) => Math.round((place?.y ?? 0) / 20))).size;
  };
  await expect(c.rows("People")).toHaveCount(2);
  for (const [width, most] of [[1280, 1], [800, 2], [360, 2]] as const) {
    await c.page.setViewportSize({ width, height: 800 });
    expect(await rows(), `${width}`).toBeLessThanOrEqual(most);
  }
  await c.main.getByRole("button", { name: "Add people" }).click();
  await expect(c.main.getByRole("menuitem")).toHaveText(["New person", "Import from CSV", "Add existing account"]);
  for (const item of await c.main.getByRole("menuitem").all()) await expect(item).toBeInViewport({ ratio: 1 });
});
