// Pictures of people, whose addresses others have chosen.
import { Messenger } from "./fixtures/messenger.js";
import { expect, test } from "./fixtures/test.js";

test("a picture at an own address that is no avatar's is not asked for: initials stand there", async ({
  hospital, open, server,
}) => {
  const { alice, bob, carol, dan, erin, frank } = await hospital({
    alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke", dan: "Dan Drake", erin: "Erin Evans", frank: "Frank Fox",
  });
  const others = [bob, carol, dan, erin, frank];
  // The server takes none of these: an older one may have, or an answer may be forged.
  const pictures: Record<string, string> = {
    [bob.token]: `${server.url}/v2/user/${bob.token}/export`,
    [carol.token]: `${server.url}/v2/avatar/../user/${carol.token}/export`,
    [dan.token]: `${server.url}/v2/avatar/${dan.token}/export`,
    [erin.token]: `${server.url}/v2/avatar/%2e%2e%2fuser`,
    [frank.token]: "http://hostile.test/v2/avatar/0198b8a0-0000-7000-8000-000000000000",
  };
  for (const person of others) await person.tell(alice, "Good morning.");

  const a = new Messenger(await open(alice, "/healthz"));
  const asked: string[] = [];
  a.page.on("request", (request) => {
    if (request.resourceType() === "image" && !request.url().startsWith("data:")) asked.push(new URL(request.url()).pathname);
  });
  // In the page: a call that a test makes for it has not what a browser says of itself, without which no cookie counts.
  await a.page.addInitScript((pictures) => {
    const original = window.fetch;
    window.fetch = async (input, init) => {
      const answer = await original(input, init);
      const { pathname } = new URL(answer.url);
      if (pathname !== "/v2/conversation") return answer;
      const body = JSON.stringify(await answer.json(), (_, value: { token?: string } | null) =>
        pictures[value?.token ?? ""] ? { ...value, avatar: pictures[value?.token ?? ""] } : value,
      );
      return new Response(body, answer);
    };
  }, pictures);
  await a.page.goto("/");
  for (const { name } of others) {
    const initials = name.replace(/[^A-Z]/g, "");
    await expect(a.entry(name)).toContainText(initials);
  }
  await a.open("Bob Brown");
  await a.page.getByRole("main").getByRole("button", { name: "Details" }).click();
  await expect(a.details).toContainText("BB");
  expect(asked.filter((path) => path.startsWith("/v2/"))).toEqual([]);
});
