// What people do by programs, on a real server.
import { Client, SignetError } from "#client";
import { password } from "../fixtures/hospital.js";
import { expect, list, test, until } from "./test.js";

const names = { alice: "Alice Ames", bob: "Bob Brown" };

test("a message is sent, followed, read and answered", async ({ hospital }) => {
  const { alice, bob } = await hospital(names);
  const outgoing = { recipient: bob.token, body: "The results are in.", ttl: 60, priority: 1 } as const;
  const sent = await alice.client.sendMessage(outgoing);
  expect(sent.ttl).toBe(60);
  const again = await alice.client.sendMessage(outgoing, { request_id: sent.request_id });
  expect(again).toStrictEqual({ ...sent, repeated: true });

  const stream = bob.client.events({ acknowledge: true });
  const message = (await until(stream, (event) => event.kind === "message")).at(-1);
  expect(message?.payload).toMatchObject({ message_id: sent.message_id, body: "The results are in." });
  await bob.client.setMessageStatus({ read: [sent.message_id] });
  const { statuses } = await alice.client.getMessageStatus(sent.message_id);
  expect(statuses.map((row) => row.status)).toStrictEqual(["Read"]);

  const events = await list(alice.client.events({ acknowledge: true, closeAfterReplay: true }));
  const told = events.filter((event) => event.kind === "message:status");
  expect(told.map((event) => event.payload)).toMatchObject([{ client_id: sent.message_id, status: "Read" }]);
  expect(await alice.client.getEvents()).toStrictEqual([]);
});

test("typing and presence come live, between people who are there", async ({ hospital }) => {
  const { alice, bob } = await hospital(names);
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const signal = AbortSignal.timeout(20_000); // what is lost does not come again
  const stream = bob.client.events({ typing: true, noReplay: true, onConnect: () => open(), signal });
  const heard = until(stream, ({ kind, payload }) =>
    kind === "message:is_typing" && "status" in payload && payload.status === "not_typing");
  await opened;
  await alice.client.startTyping(bob.token);
  await alice.client.stopTyping(bob.token);
  expect((await heard).map(({ kind, payload, queued }) => ({ kind, payload, queued }))).toStrictEqual(
    ["typing", "not_typing"].map((status) => ({
      kind: "message:is_typing",
      payload: { sender_token: alice.token, status },
      queued: false,
    })),
  );
});

test("an attachment goes and comes with progress", async ({ hospital }) => {
  const { alice, bob } = await hospital(names);
  const bytes = Buffer.from(new Uint8Array(3 << 20).map((_, at) => at % 251));
  const up: number[] = [];
  const attachment = new File([bytes], "Röntgen 7.png", { type: "image/png" });
  const data = [{ mimetype: "text/plain", namespace: "lab", payload: "{}" }];
  const { message_id, message } = await alice.client.sendMessage(
    { recipient: bob.token, attachment, data },
    { response_format: "message", onProgress: ({ loaded }) => up.push(loaded) },
  );
  expect(message?.data).toMatchObject([{ namespace: "lab" }]);
  expect(up.length, `progress of the upload: ${up}`).toBeGreaterThan(3);
  expect(up.at(-1)).toBeGreaterThan(bytes.length);

  const down: number[] = [];
  const totals = new Set<number | undefined>();
  const file = await bob.client.getAttachment(message_id, 1, {
    onProgress: ({ loaded, total }) => {
      totals.add(total);
      down.push(loaded);
    },
  });
  expect([file.status, file.type, file.size, file.name])
    .toStrictEqual([200, "image/png", bytes.length, "Röntgen 7.png"]);
  expect(bytes.equals(Buffer.from(await (await file.blob()).arrayBuffer())), "what came is what went").toBe(true);
  expect(down.length, `progress of the download: ${down}`).toBeGreaterThan(3);
  expect(down.at(-1)).toBe(bytes.length);
  expect([...totals]).toStrictEqual([bytes.length]);

  const part = await bob.client.getAttachment(message_id, 1, { range: "bytes=1-3" });
  expect(part.status).toBe(206);
  expect([...new Uint8Array(await (await part.blob()).arrayBuffer())]).toStrictEqual([1, 2, 3]);
  const same = await bob.client.getAttachment(message_id, 1, { ifNoneMatch: file.etag });
  expect(same.status).toBe(304);
  await same.content.cancel();
});

test("an upload that is given up ends with its signal", async ({ hospital }) => {
  const { alice, bob } = await hospital(names);
  const giveUp = new AbortController();
  const attachment = new Blob([new Uint8Array(20 << 20)]);
  const sending = alice.client.sendMessage(
    { recipient: bob.token, attachment },
    { signal: giveUp.signal, onProgress: () => giveUp.abort() },
  );
  await expect(sending).rejects.toMatchObject({ name: "AbortError" });
});

test("lists come entry by entry, over as many pages as it takes", async ({ hospital, server }) => {
  const { alice, bob, organization } = await hospital(names);
  for (let n = 0; n < 7; n++) await alice.tell(bob, String(n));
  const bodies = (await list(bob.client.each.getHistory(alice.token, { limit: 3 }))).map((message) => message.body);
  expect(bodies).toStrictEqual(["6", "5", "4", "3", "2", "1", "0"]);
  const second = (await list(bob.client.each.getHistory(alice.token))).at(-2);
  const after = await list(bob.client.each.getHistory(alice.token, { after: Number(second?.sort_number), limit: 2 }));
  expect(after.map((message) => message.body)).toStrictEqual(["2", "3", "4", "5", "6"]);
  const queue = await list(bob.client.each.getEvents({ limit: 2 }));
  expect(queue.map((event) => event.kind)).toStrictEqual(Array(7).fill("message"));

  const conversations = await list(bob.client.each.getConversations());
  expect(conversations).toMatchObject([{ unread_count: 7 }]);
  await bob.client.readConversation(alice.token, Number(conversations[0]?.sort_number));
  expect(await bob.client.getUnreadCount("me")).toStrictEqual({ unread_count: 0, unread_priority_count: 0 });

  const members = await list(server.operator.each.listMembers(organization, { page_size: 1 }));
  expect(members.map((member) => member.display_name).sort()).toStrictEqual(["Alice Ames", "Bob Brown", "Operator"]);
  const found = await list(alice.client.each.search({ type: ["account"], any: "bo", page_size: 1 }));
  expect(found.map((hit) => hit.entity.token)).toStrictEqual([bob.token]);
});

test("the audit is read in pages from both ends", async ({ hospital, server }) => {
  const { organization } = await hospital({ ...names, carol: "Carol Clarke" });
  const { each } = server.operator;
  const audit = await list(each.getOrganizationAudit(organization, { after: 0, limit: 3 }));
  expect(audit.length).toBeGreaterThan(3);
  expect(audit.map((entry) => entry.number)).toStrictEqual(audit.map((_, n) => n + 1));
  // That the log is read is an entry of it, so that a page of one is never the last by its size.
  const single = await list(each.getOrganizationAudit(organization, { after: 0, limit: 1 }));
  expect(single.map((entry) => entry.number)).toStrictEqual(single.map((_, n) => n + 1));
  expect(single.length).toBeGreaterThan(audit.length);
  const backwards = await list(each.getOrganizationAudit(organization, { limit: 3 }));
  expect(backwards.slice(-audit.length)).toStrictEqual(audit.toReversed());
});

test("a person is renamed, and the audit tells how", async ({ hospital, server }) => {
  const { organization, alice, bob } = await hospital(names);
  const { operator } = server;
  const renamed = await operator.updateUser(bob.token, { display_name: "Bob Bell", title: "Surgeon" }, { organization });
  expect(renamed).toMatchObject({ display_name: "Bob Bell", title: "Surgeon", organization_token: organization });
  await expect(alice.client.updateUserSettings("me", { display_name: "bob BELL" })).rejects.toMatchObject({
    code: "name_taken",
    field: "display_name",
  });
  const action = ["user.rename", "user.update"];
  const { results, names: called, metadata } = await operator.getOrganizationAuditPage(organization, {
    action,
    account: bob.token,
    reads: false,
  });
  expect(results).toMatchObject([
    { action: "user.rename", old: { display_name: "Bob Brown" }, new: { display_name: "Bob Bell" } },
  ]);
  expect(called).toMatchObject({ [bob.token]: "Bob Bell", [(await operator.getSelf()).token]: "Operator" });
  expect(metadata).toStrictEqual({});
  expect(await list(operator.each.getOrganizationAudit(organization, { action, after: 0 }))).toStrictEqual(results);
});

test("a group is made with a picture, changed and left", async ({ hospital }) => {
  const { alice, bob } = await hospital(names);
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const png = Buffer.from(pixel, "base64");
  const made = await alice.client.createGroup(
    { name: "Ward 3", members: [bob.token], metadata: { floor: "2" }, avatar: new Blob([png], { type: "image/png" }) },
    { render_entity: true },
  );
  expect(made.group?.name).toBe("Ward 3");
  const picture = await bob.client.getAvatar(String(made.avatar.split("/").at(-1)));
  expect(Buffer.from(await (await picture.blob()).arrayBuffer())).toStrictEqual(png);
  expect(await bob.client.getMetadata(made.token)).toStrictEqual({ floor: "2" });
  expect((await alice.client.updateGroup(made.token, { name: "Ward 4" })).avatar).toBe(made.avatar);
  await bob.client.removeGroupMembers(made.token, ["me"]);
  await expect(bob.client.getGroup(made.token)).rejects.toMatchObject({ name: "SignetError", status: 404 });
});

test("many users are created at once, and once", async ({ hospital, server }) => {
  const { organization } = await hospital({});
  const operator = server.operator.in(organization);
  const users = ["ann", "ben"].map((name) => ({ username: `${name}-${organization}` }));
  const made = await operator.createUsers({ users }, { request_id: organization });
  expect(made.results.map(({ status }) => status)).toStrictEqual([200, 200]);
  const again = await operator.createUsers({ users }, { request_id: organization });
  expect(again.results.map(({ repeated }) => repeated)).toStrictEqual([true, true]);
});

test("a password signs in, and signing out ends the key and its streams", async ({ hospital, server }) => {
  const { alice } = await hospital(names);
  const baseURL = server.direct;
  await server.operator.setPassword(alice.token, { password: "another horse battery" });
  const signedIn = await Client.signIn(alice.username, "another horse battery", { baseURL, device_id: "laptop" });
  expect((await signedIn.getKeys("me")).map((entry) => entry.device)).toContain("laptop");
  const older = await new Client({ baseURL }).login({ key: alice.username, secret: "another horse battery" });
  expect(older.user.token).toBe(alice.token);
  const stream = signedIn.events({ pauses: { minDelay: 1, maxDelay: 1 }, onConnect: () => void signedIn.logout() });
  await expect(list(stream)).rejects.toMatchObject({ name: "SignetError", status: 401 });
  const wrong = await Client.signIn(alice.username, "wrong", { baseURL }).catch((error: unknown) => error);
  expect(wrong).toBeInstanceOf(SignetError);
  expect(wrong).toMatchObject({ status: 401, call: "POST /v5/login" });
});

/** pageOf is a client that does what a browser does for a page of the server's own; `asked` is how it was to. */
function pageOf(baseURL: string): { page: Client; asked: Set<string | undefined> } {
  const asked = new Set<string | undefined>();
  let cookie = "";
  const page = new Client({
    baseURL,
    fetch: async (url, init) => {
      asked.add(init?.credentials);
      const headers = new Headers(init?.headers);
      headers.set("Sec-Fetch-Site", "same-origin");
      if (cookie) headers.set("Cookie", cookie);
      const response = await fetch(url, { ...init, headers });
      cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
      return response;
    },
  });
  return { page, asked };
}

test("a page's session is the cookie alone", async ({ hospital, server }) => {
  const { alice } = await hospital(names);
  const { page, asked } = pageOf(server.direct);
  await page.startSession({ username: alice.username, password });
  expect((await page.getSession())?.account.token).toBe(alice.token);
  await page.elevateSession({ password });
  expect((await page.getSession())?.elevated_until).toBeTruthy();
  await page.lowerSession();
  const stream = page.events({ signals: true });
  expect((await stream.next()).value?.kind).toBe("client_advisory");
  await stream.return();
  await page.endSession();
  await expect(page.getSession()).rejects.toMatchObject({ name: "SignetError", status: 401 });
  expect([...asked]).toStrictEqual(["same-origin"]);
});

test("what the server refuses names the field", async ({ hospital }) => {
  const { alice } = await hospital(names);
  const sending = alice.client.sendMessage({ recipient: "me", body: "x", ttl: 0 });
  const refused = await sending.catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(SignetError);
  expect(refused).toMatchObject({ status: 400, field: "ttl" });
});

test("the server tells of itself", async ({ server }) => {
  expect(await server.operator.getHealth()).toMatch(/ok/i);
  expect(await server.operator.getReadiness()).toMatch(/./);
  expect(await server.operator.getBrand()).toStrictEqual({ name: "", logo: false });
  await expect(server.operator.getBrandLogo()).rejects.toMatchObject({ status: 404 });
  expect((await server.operator.getDocument()).openapi).toBe("3.1.0");
  expect(String((await server.operator.getDocument30()).openapi)).toMatch(/^3\.0/);
});
