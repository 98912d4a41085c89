// Signing in with the provider of an organization: it is set up in the console, tried, and switched on; then a person
// finds it by the domain of an email address.
import { Console } from "./fixtures/console.js";
import { Issuer } from "./fixtures/issuer.js";
import { expect, loseSession, newContext, signIn, test } from "./fixtures/test.js";

// The provider is on this machine, which the server calls only where its settings say so.
test.use({ serve: ["--egress.networks=127.0.0.1"] });

test("an administrator sets a provider up, and signs in with it", async ({ browser, server, hospital }) => {
  const { alice, organization } = await hospital({ alice: "Alice Ames" });
  await server.operator.grantRole(alice.token, organization, "admin");
  await server.operator.updateUser(alice.token, { email: "alice@clinic.example" });
  const issuer = new Issuer({ sub: "42", email: "alice@clinic.example", email_verified: true, name: "Alice Ames" });
  await issuer.listen();
  const context = await newContext(browser, { baseURL: server.url }); // in which it goes to another host
  try {
    await signIn(context, alice.username);
    const page = await context.newPage();
    await page.goto(`/console/organizations/${organization}/identity`);
    const c = new Console(page);
    await c.elevate();
    await expect(c.main.getByText(`${server.url}/v2/session/oidc/${organization}/callback`)).toBeVisible();
    await c.main.getByLabel("Issuer (URL)").fill(issuer.url);
    await c.main.getByLabel("Client ID").fill("signet");
    await c.main.getByLabel("Email domains").fill("clinic.example");
    await c.main.getByRole("button", { name: "Save" }).click();

    // Until an operator confirms the domain, an address proves nothing.
    const tried = c.main.getByRole("button", { name: "Test sign-in" });
    await tried.click();
    await expect(c.main.getByText("The test failed.")).toBeVisible();
    await server.operator.setIdentity(organization, { domains: ["clinic.example"] });
    await tried.click();
    await expect(c.main.getByText("The test passed.")).toBeVisible();
    await expect(c.main.getByText("An account with this email.")).toBeVisible();

    await c.main.getByLabel("Sign people in").check();
    await c.main.getByLabel("Members may also sign in with a password").uncheck();
    await expect.poll(async () => (await server.operator.getIdentity(organization)).passwords_off).toBe(true);

    await loseSession(page);
    await page.goto("/");
    await page.getByLabel("Username, email or phone").fill("alice@clinic.example");
    await page.getByRole("link", { name: "Continue with General Hospital" }).click();
    await expect(page.getByRole("button", { name: "New message" })).toBeVisible();

    // Without a password, the provider is who lets an administrator into the console.
    await page.goto(`/console/organizations/${organization}/people`);
    await page.getByRole("dialog", { name: "Confirm it’s you" }).getByRole("button", { name: "General Hospital" }).click();
    await expect(c.rows("People")).not.toHaveCount(0);
  } finally {
    await context.close();
    await issuer.close();
  }
});
