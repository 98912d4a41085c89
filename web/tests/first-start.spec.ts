// The link that a first start prints, by which the operator signs in without a password. No browser is needed.
import { expect, test } from "./fixtures/test.js";

/** signIn does what the console does with the link, and returns the status of the answer. */
async function signIn(link: string, headers: Record<string, string> = {}): Promise<number> {
  const { origin, hash } = new URL(link);
  const { status } = await fetch(`${origin}/v2/session`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin", ...headers },
    body: JSON.stringify({ first_start: hash.slice("#first=".length) }),
  });
  return status;
}

// On servers of the stage's: that of other tests has an operator with a password, for whom there is no link any more.
test("the first start prints a link that opens once, from this machine", async ({ stage }) => {
  const server = await stage.serve();
  const link = async () => /(\S+\/console#first=\S+)\n/.exec(await server.said())?.[1];
  await expect.poll(link).toContain(`${server.direct}/console#first=`);
  const printed = (await link()) ?? "";
  for (const header of ["X-Forwarded-For", "Forwarded", "Via"]) {
    const status = await signIn(printed, { [header]: "198.51.100.7" });
    expect(status, `through a proxy that sets ${header}`).toBe(403);
  }
  expect(await signIn(printed)).toBe(204);
  expect(await signIn(printed), "a second time").toBe(401);
  await server.stop();
});

test("there is no link for pages elsewhere, or where there are none", async ({ stage }) => {
  const printed = async (...args: string[]) => (await stage.serve(args)).stop();
  expect(await printed()).toContain("#first=");
  expect(await printed("--base-url=https://messages.example.org")).not.toContain("#first=");
  expect(await printed("--web.pages=false")).not.toContain("#first=");
});
