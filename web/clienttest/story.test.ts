// What people do, on a real server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, SignetError, type SignetEvent } from "#client";
import { baseURL, hospital, operator } from "./server.js";

async function list<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = [];
  for await (const entry of entries) out.push(entry);
  return out;
}

test("a message is sent, followed, read and answered", async () => {
  const { alice, bob } = await hospital("alice", "bob");
  const outgoing = { recipient: bob.token, body: "The results are in.", ttl: 60, priority: 1 } as const;
  const sent = await alice.client.sendMessage(outgoing);
  assert.equal(sent.ttl, 60);
  const again = await alice.client.sendMessage(outgoing, { request_id: sent.request_id });
  assert.deepEqual(again, { ...sent, repeated: true });

  for await (const event of bob.client.events({ acknowledge: true })) {
    if (event.kind !== "message") continue;
    assert.equal(event.payload.message_id, sent.message_id);
    assert.equal(event.payload.body, "The results are in.");
    await bob.client.setMessageStatus({ read: [event.payload.message_id] });
    break;
  }
  const rows = (await alice.client.getMessageStatus(sent.message_id)).statuses;
  assert.deepEqual(rows.map((row) => row.status), ["Read"]);

  const statuses: string[] = [];
  for await (const event of alice.client.events({ acknowledge: true, closeAfterReplay: true })) {
    if (event.kind === "message:status" && "status" in event.payload) statuses.push(event.payload.status);
  }
  assert.deepEqual(statuses, ["Read"]);
  assert.deepEqual(await alice.client.getEvents(), []);
});

test("typing and presence come live, between people who are there", { timeout: 20_000 }, async () => {
  const { alice, bob } = await hospital("alice", "bob");
  const heard: SignetEvent[] = [];
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const listening = (async () => {
    for await (const event of bob.client.events({ typing: true, noReplay: true, onConnect: open })) {
      heard.push(event);
      if (event.kind === "message:is_typing" && event.payload.status === "not_typing") break;
    }
  })();
  await opened;
  await alice.client.startTyping(bob.token);
  await alice.client.stopTyping(bob.token);
  await listening;
  assert.deepEqual(
    heard.map(({ kind, payload, queued }) => ({ kind, payload, queued })),
    ["typing", "not_typing"].map((status) => ({
      kind: "message:is_typing",
      payload: { sender_token: alice.token, status },
      queued: false,
    })),
  );
});

test("an attachment goes and comes with progress", async () => {
  const { alice, bob } = await hospital("alice", "bob");
  const bytes = new Uint8Array(3 << 20).map((_, at) => at % 251);
  const up: number[] = [];
  const attachment = new File([bytes], "Röntgen 7.png", { type: "image/png" });
  const data = [{ mimetype: "text/plain", namespace: "lab", payload: "{}" }];
  const { message_id, message } = await alice.client.sendMessage(
    { recipient: bob.token, attachment, data },
    { response_format: "message", onProgress: ({ loaded }) => up.push(loaded) },
  );
  assert.equal(message?.data?.[0]?.namespace, "lab");
  assert.ok(up.length > 3 && (up.at(-1) ?? 0) > bytes.length, `progress of the upload: ${up}`);

  const down: number[] = [];
  const file = await bob.client.getAttachment(message_id, 1, {
    onProgress: ({ loaded, total }) => {
      assert.equal(total, bytes.length);
      down.push(loaded);
    },
  });
  assert.deepEqual([file.status, file.type, file.size, file.name], [200, "image/png", bytes.length, "Röntgen 7.png"]);
  assert.deepEqual(new Uint8Array(await (await file.blob()).arrayBuffer()), bytes);
  assert.ok(down.length > 3 && down.at(-1) === bytes.length, `progress of the download: ${down}`);

  const part = await bob.client.getAttachment(message_id, 1, { range: "bytes=1-3" });
  assert.equal(part.status, 206);
  assert.deepEqual([...new Uint8Array(await (await part.blob()).arrayBuffer())], [1, 2, 3]);
  const same = await bob.client.getAttachment(message_id, 1, { ifNoneMatch: file.etag });
  assert.equal(same.status, 304);
  await same.content.cancel();

  const giveUp = new AbortController();
  const large = new Blob([new Uint8Array(20 << 20)]);
  await assert.rejects(
    alice.client.sendMessage(
      { recipient: bob.token, attachment: large },
      { signal: giveUp.signal, onProgress: () => giveUp.abort() },
    ),
    { name: "AbortError" },
  );
});

test("lists come entry by entry, over as many pages as it takes", async () => {
  const { alice, bob, organization } = await hospital("alice", "bob");
  for (let n = 0; n < 7; n++) await alice.client.sendMessage({ recipient: bob.token, body: String(n) });
  const bodies = (await list(bob.client.each.getHistory(alice.token, { limit: 3 }))).map((message) => message.body);
  assert.deepEqual(bodies, ["6", "5", "4", "3", "2", "1", "0"]);
  const [, second] = (await list(bob.client.each.getHistory(alice.token))).reverse();
  const after = await list(bob.client.each.getHistory(alice.token, { after: second?.sort_number ?? 0, limit: 2 }));
  assert.deepEqual(after.map((message) => message.body), ["2", "3", "4", "5", "6"]);
  const queue = await list(bob.client.each.getEvents({ limit: 2 }));
  assert.deepEqual(queue.map((event) => event.kind), Array(7).fill("message"));

  const [conversation] = await list(bob.client.each.getConversations());
  assert.equal(conversation?.unread_count, 7);
  await bob.client.readConversation(alice.token, conversation?.sort_number ?? 0);
  assert.deepEqual(await bob.client.getUnreadCount("me"), { unread_count: 0, unread_priority_count: 0 });

  const members = await list(operator.each.listMembers(organization, { page_size: 1 }));
  assert.deepEqual(members.map((member) => member.display_name).sort(), ["Operator", "alice", "bob"]);
  const found = await list(alice.client.each.search({ type: ["account"], any: "bo", page_size: 1 }));
  assert.deepEqual(found.map((hit) => hit.entity.token), [bob.token]);
  const audit = await list(operator.each.getOrganizationAudit(organization, { after: 0, limit: 3 }));
  assert.ok(audit.length > 3);
  assert.deepEqual(audit.map((entry) => entry.number), audit.map((_, n) => n + 1));
  // That the log is read is an entry of it, so that a page of one is never the last by its size.
  const single = await list(operator.each.getOrganizationAudit(organization, { after: 0, limit: 1 }));
  assert.deepEqual(single.map((entry) => entry.number), single.map((_, n) => n + 1));
  assert.ok(single.length > audit.length);
  const backwards = await list(operator.each.getOrganizationAudit(organization, { limit: 3 }));
  assert.deepEqual(backwards.slice(-audit.length), audit.toReversed());
});

test("a group is made with a picture, changed and left", async () => {
  const { alice, bob } = await hospital("alice", "bob");
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const png = Buffer.from(pixel, "base64");
  const made = await alice.client.createGroup(
    { name: "Ward 3", members: [bob.token], metadata: { floor: "2" }, avatar: new Blob([png], { type: "image/png" }) },
    { render_entity: true },
  );
  assert.equal(made.group?.name, "Ward 3");
  const picture = await bob.client.getAvatar(made.avatar.split("/").at(-1) ?? "");
  assert.deepEqual(Buffer.from(await (await picture.blob()).arrayBuffer()), png);
  assert.deepEqual(await bob.client.getMetadata(made.token), { floor: "2" });
  assert.equal((await alice.client.updateGroup(made.token, { name: "Ward 4" })).avatar, made.avatar);
  await bob.client.removeGroupMembers(made.token, ["me"]);
  await assert.rejects(bob.client.getGroup(made.token), (error: SignetError) => error.status === 404);
});

test("many users are created at once, and once", async () => {
  const { organization } = await hospital();
  const users = ["ann", "ben"].map((name) => ({ username: `${name}-${organization}` }));
  const made = await operator.in(organization).createUsers({ users }, { request_id: organization });
  assert.deepEqual(made.results.map(({ status }) => status), [200, 200]);
  const again = await operator.in(organization).createUsers({ users }, { request_id: organization });
  assert.deepEqual(again.results.map(({ repeated }) => repeated), [true, true]);
});

test("a password signs in, and signing out ends the key and its streams", async () => {
  const { alice } = await hospital("alice");
  await operator.setPassword(alice.token, { password: "correct horse battery" });
  const { username } = await alice.client.getSelf();
  const signedIn = await Client.signIn(username, "correct horse battery", { baseURL, device_id: "laptop" });
  const key = (await signedIn.getKeys("me")).find((entry) => entry.device === "laptop");
  assert.ok(key);
  const older = await new Client({ baseURL }).login({ key: username, secret: "correct horse battery" });
  assert.equal(older.user.token, alice.token);
  const stream = signedIn.events({ pauses: { minDelay: 1, maxDelay: 1 }, onConnect: () => void signedIn.logout() });
  await assert.rejects(list(stream), (error: SignetError) => error.status === 401);
  await assert.rejects(
    Client.signIn(username, "wrong", { baseURL }),
    (error: unknown) => error instanceof SignetError && error.status === 401 && error.call === "POST /v5/login",
  );
});

test("a page's session is the cookie alone", async () => {
  const { alice } = await hospital("alice");
  await operator.setPassword(alice.token, { password: "correct horse battery" });
  const { username } = await alice.client.getSelf();
  let cookie = "";
  // What a browser does for a page of the server's own.
  const page = new Client({
    baseURL,
    fetch: async (url, init) => {
      assert.equal(init?.credentials, "same-origin");
      const headers = new Headers(init?.headers);
      headers.set("Sec-Fetch-Site", "same-origin");
      if (cookie) headers.set("Cookie", cookie);
      const response = await fetch(url, { ...init, headers });
      cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
      return response;
    },
  });
  await page.startSession({ username, password: "correct horse battery" });
  assert.equal((await page.getSession()).account.token, alice.token);
  await page.elevateSession({ password: "correct horse battery" });
  assert.ok((await page.getSession()).elevated_until);
  await page.lowerSession();
  const stream = page.events({ signals: true });
  assert.equal((await stream.next()).value?.kind, "client_advisory");
  await stream.return();
  await page.endSession();
  await assert.rejects(page.getSession(), (error: SignetError) => error.status === 401);
});

test("what the server refuses names the field", async () => {
  const { alice } = await hospital("alice");
  const sending = alice.client.sendMessage({ recipient: "me", body: "x", ttl: 0 });
  const refused = await sending.catch((error: unknown) => error);
  assert.ok(refused instanceof SignetError);
  assert.deepEqual([refused.status, refused.field], [400, "ttl"]);
});

test("the server tells of itself", async () => {
  assert.match(await operator.getHealth(), /ok/i);
  assert.match(await operator.getReadiness(), /./);
  assert.equal((await operator.getDocument()).openapi, "3.1.0");
  assert.match(String((await operator.getDocument30()).openapi), /^3\.0/);
});
