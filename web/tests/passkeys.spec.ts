// Passkeys, with an authenticator of the browser's own that stands for a finger on a sensor.
import type { BrowserContext, CDPSession, Page } from "@playwright/test";
import { Console } from "./fixtures/console.js";
import { password } from "./fixtures/hospital.js";
import { Messenger, signIn } from "./fixtures/messenger.js";
import type { Server } from "./fixtures/stage.js";
import { expect, loseSession, test } from "./fixtures/test.js";

/** Browsers take no address in numbers for passkeys: on its own machine a server is localhost. */
const named = (server: Server) => ({ baseURL: server.url.replace("127.0.0.1", "localhost") });

/** authenticator gives a page a device that knows its owner, unless it is told that somebody else has it. */
async function authenticator(context: BrowserContext, page: Page): Promise<{ knows: (owner: boolean) => Promise<void> }> {
  const cdp: CDPSession = await context.newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { knows: async (isUserVerified) => void (await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified })) };
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

test("a passkey is made, signs in without a name, and is removed", async ({ server, hospital, desk }) => {
  const { alice } = await hospital({ alice: "Alice Ames" });
  const context = await desk(named(server));
  const page = await context.newPage();
  const device = await authenticator(context, page);
  const m = new Messenger(page);
  await page.goto("/");
  await press(page, "Sign in with a passkey"); // of which there is none
  await expect(page.getByRole("alert")).toHaveText("No passkey was used. Try again.");
  await signIn(page, alice.username, password);

  await m.own("Settings");
  const passkeys = page.getByRole("region", { name: "Passkeys" });
  await passkeys.getByRole("button", { name: "Create a passkey" }).click();
  const making = page.getByRole("dialog", { name: "Create a passkey" });
  await making.getByLabel("Name (optional)").fill("My phone");
  await making.getByRole("button", { name: "Create a passkey" }).click();
  await expect(passkeys.getByRole("listitem")).toContainText(["My phone"]);
  await passkeys.getByRole("button", { name: "Create a passkey" }).click(); // a second one on the same device
  await making.getByRole("button", { name: "Create a passkey" }).click();
  await expect(making.getByRole("alert")).toHaveText("This device already has a passkey for your account.");
  await making.getByRole("button", { name: "Cancel" }).click();

  await loseSession(page);
  await page.goto("/");
  await device.knows(false);
  await press(page, "Sign in with a passkey");
  await expect(page.getByRole("alert")).toHaveText("No passkey was used. Try again.");
  await device.knows(true);
  await press(page, "Sign in with a passkey");
  await expect(page.getByRole("heading", { name: "Alice Ames" })).toBeVisible();

  await m.own("Settings");
  await passkeys.getByRole("button", { name: "Remove passkey" }).click();
  await page.getByRole("dialog", { name: "Remove passkey" }).getByRole("button", { name: "Remove passkey" }).click();
  await expect(passkeys.getByRole("listitem")).toHaveCount(0);
  await loseSession(page);
  await page.goto("/");
  await press(page, "Sign in with a passkey");
  await expect(page.getByRole("alert")).toHaveText("This passkey isn’t accepted here.");
});

test("where a second factor is required, a password leads to a passkey and no further", async ({ server, hospital, desk }) => {
  const { alice, organization } = await hospital({ alice: "Alice Ames" }, { second_factor: "required" });
  const context = await desk(named(server));
  const page = await context.newPage();
  await authenticator(context, page);
  await page.goto("/");
  await signIn(page, alice.username, password);
  await expect(page.getByText("Your organization requires a passkey.")).toBeVisible();
  await press(page, "Create a passkey");
  await expect(page.getByRole("heading", { name: "Alice Ames" })).toBeVisible();

  await loseSession(page);
  await page.goto("/");
  await signIn(page, alice.username, password);
  await press(page, "Use a passkey");
  await expect(page.getByRole("heading", { name: "Alice Ames" })).toBeVisible();

  // Another browser, without the device: the password alone opens nothing, until an administrator allows another passkey.
  const other = await desk(named(server));
  const lost = await other.newPage();
  await authenticator(other, lost);
  await lost.goto("/");
  await signIn(lost, alice.username, password);
  await press(lost, "Use a passkey");
  await expect(lost.getByRole("alert")).toHaveText("No passkey was used. Try again.");
  await server.operator.allowPasskey(alice.token);
  await lost.reload();
  await press(lost, "Create a passkey");
  await expect(lost.getByRole("heading", { name: "Alice Ames" })).toBeVisible();
  expect(await server.operator.getPasskeys(alice.token)).toHaveLength(2);
  expect((await server.operator.getOrganization(organization)).settings).toContainEqual({ name: "second_factor", value: "required" });
});

test("a passkey elevates a session in the console, where its organization is told to require one", async ({ server, hospital, desk }) => {
  const { alice, bob, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await server.operator.grantRole(alice.token, organization, "admin");
  const context = await desk(named(server));
  const page = await context.newPage();
  await authenticator(context, page);
  const c = new Console(page);
  await page.goto("/");
  await signIn(page, alice.username, password);
  const m = new Messenger(page);
  await m.own("Settings");
  await page.getByRole("region", { name: "Passkeys" }).getByRole("button", { name: "Create a passkey" }).click();
  await page.getByRole("dialog", { name: "Create a passkey" }).getByRole("button", { name: "Create a passkey" }).click();
  await expect(page.getByRole("region", { name: "Passkeys" }).getByRole("listitem")).toHaveCount(1);

  await page.goto(`/console/organizations/${organization}/settings`);
  const confirm = page.getByRole("dialog", { name: "Confirm it’s you" });
  await confirm.getByRole("button", { name: "Use a passkey" }).click();
  await expect(confirm).toBeHidden();
  await c.main.getByLabel("Signing in takes a passkey, not just a password").check();
  await c.main.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved.")).toBeVisible();

  await page.goto(`/console/organizations/${organization}/people/${bob.token}`);
  await c.listing("Passkeys").getByRole("button", { name: "Allow another passkey" }).click();
  await c.dialog.getByRole("button", { name: "Allow another passkey" }).click();
  await expect(page.getByText("Bob Brown can create a passkey within 24 hours.")).toBeVisible();
});
