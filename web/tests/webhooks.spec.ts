// Webhooks in the console: one is made, tried, looked into, sent again from, and ended.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Console } from "./fixtures/console.js";
import { expect, operator, test } from "./fixtures/test.js";

// The receiver is on this machine, which the server calls only where its settings say so.
test.use({ serve: ["--egress.webhooks=127.0.0.1", "--egress.networks=127.0.0.1"] });

/** Receiver takes what webhooks send. */
class Receiver {
  /** The types of what came, and under which ids. */
  readonly types: string[] = [];
  readonly ids: string[] = [];
  /** What it answers. */
  status = 204;
  #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      let body = "";
      request.on("data", (part: Buffer) => (body += part.toString()));
      request.on("end", () => {
        this.types.push((JSON.parse(body) as { type: string }).type);
        this.ids.push(String(request.headers["webhook-id"]));
        response.writeHead(this.status).end();
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

test("a webhook is made, tried, and sends again what its receiver has lost", async ({ server, hospital, open }) => {
  const { alice, bob, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const receiver = new Receiver();
  const url = await receiver.listen();
  try {
    const c = new Console(await open(operator, `/console/organizations/${organization}/people/${alice.token}`));
    const says = (words: string) => expect(c.page.getByText(words)).toBeVisible();
    await c.elevate();
    await expect(c.listing("Webhooks").getByText("No webhooks.")).toBeVisible();
    await c.listing("Webhooks").getByRole("button", { name: "New webhook" }).click();
    await c.dialog.getByLabel("Address (URL)").fill("https://elsewhere.example.com/");
    const create = c.dialog.getByRole("button", { name: "Create webhook" });
    await create.click();
    await expect(c.dialog.getByLabel("Address (URL)")).toHaveAttribute("aria-invalid", "true"); // no setting names that host
    await c.dialog.getByLabel("Address (URL)").fill(url);
    await c.dialog.getByLabel("Events").fill("message");
    await create.click();
    const secret = c.page.getByRole("dialog", { name: "For the receiver" });
    await expect(secret.getByRole("code")).toHaveText(/^whsec_/);
    const first = await secret.getByRole("code").innerText();
    await c.keep();
    const row = c.row("Webhooks", url);
    for (const words of ["Enabled", "message", "Only IDs and times", "Never"]) await expect(row).toContainText(words);

    await c.choose(row, "Send a test");
    await says("The receiver took the test.");
    receiver.status = 503;
    await c.choose(row, "Send a test");
    await says("The receiver didn’t take the test. 503");
    receiver.status = 204;
    await bob.tell(alice, "Is bed 12 free?");
    await expect.poll(() => receiver.types).toEqual(["webhook.test", "webhook.test", "message"]);
    const noted = async () => (await server.operator.getWebhooks(alice.token))[0]?.last_success_time;
    await expect.poll(noted).toBeDefined();

    await c.choose(row, "Deliveries");
    const deliveries = c.page.getByRole("dialog", { name: "Deliveries" });
    await expect(deliveries.getByText("Refused (503)")).toBeVisible();
    await expect(deliveries.getByText("Delivered (204)")).toHaveCount(2);
    const again = deliveries.getByRole("button", { name: "Send again from here" });
    await expect(again).toHaveCount(1); // a test is no event
    await again.click();
    await says("The events are sent again.");
    await expect(deliveries).toBeHidden();
    await expect.poll(() => receiver.types.slice(3)).toEqual(["message"]);
    expect(receiver.ids[3]).toBe(receiver.ids[2]);

    await c.choose(row, "Replace secret");
    await c.confirm("Replace secret");
    await expect(secret.getByRole("code")).toHaveText(/^whsec_/);
    await expect(secret.getByRole("code")).not.toHaveText(first);
    await c.keep();
    await c.choose(row, "Disable");
    await expect(row).toContainText("Disabled");
    await c.choose(row, "Enable");
    await expect(row).toContainText("Enabled");
    await c.choose(row, "Delete webhook");
    await c.confirm("Delete webhook");
    await says("Webhook deleted.");
    await expect(row).toHaveCount(0);
    await bob.tell(alice, "Thank you.");
    expect(receiver.types).toHaveLength(4);
  } finally {
    await receiver.close();
  }
});

test("the secret of a webhook stays until it is saved; a public key is shown again whenever one asks", async ({ hospital, open }) => {
  const { organization } = await hospital({ alice: "Alice Ames" });
  const c = new Console(await open(operator, `/console/organizations/${organization}/people`));
  await c.elevate();
  const make = async (signature: string) => {
    await c.row("People", "Alice Ames").getByRole("link", { name: "Alice Ames" }).click();
    await c.listing("Webhooks").getByRole("button", { name: "New webhook" }).click();
    await c.dialog.getByLabel("Address (URL)").fill("http://127.0.0.1:1/hook");
    await c.dialog.getByLabel("Signature").selectOption(signature);
    await c.dialog.getByRole("button", { name: "Create webhook" }).click();
  };
  const shown = c.page.getByRole("dialog", { name: "For the receiver" });
  const question = c.page.getByRole("dialog", { name: "Close without saving the secret?" });
  await make("v1");
  await expect(shown.getByRole("button", { name: "Copy: Secret" })).toBeFocused(); // Enter once more does no harm
  await c.page.keyboard.press("Enter");
  await c.page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Go back" }).click();
  await shown.getByRole("button", { name: "Close", exact: true }).click();
  await question.getByRole("button", { name: "Go back" }).click();
  await c.page.goBack(); // another page of the console does not take it along
  await expect(c.page).toHaveURL(`/console/organizations/${organization}/people`);
  await expect(shown.getByRole("code")).toHaveText(/^whsec_/);
  await c.keep();

  await make("v1a");
  await expect(shown.getByRole("code")).toHaveText(/^whpk_/);
  await c.page.keyboard.press("Escape");
  await expect(c.dialog).toHaveCount(0);
});
