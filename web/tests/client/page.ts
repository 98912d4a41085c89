// What a page of the server's own does: browser.spec.ts runs this in a browser.
import { Client, SignetError } from "#client";

/** story returns what happened, in lines. */
export async function story(username: string, password: string): Promise<string[]> {
  const lines: string[] = [];
  const me = new Client();
  await me.startSession({ username, password });
  const session = await me.getSession();
  lines.push(`signed in as ${session?.account.display_name}, cookies that scripts see: "${document.cookie}"`);

  const heard = (async () => {
    for await (const event of me.events({ acknowledge: true })) {
      if (event.kind === "message") return `heard of ${event.payload.attachments?.[0]?.name}`;
    }
    return "heard nothing";
  })();
  const bytes = new Uint8Array(2 << 20).map((_, at) => at % 251);
  const attachment = new File([bytes], "labs.png", { type: "image/png" });
  let progress = 0;
  const onProgress = ({ loaded }: { loaded: number }) => (progress = loaded);
  const sent = await me.sendMessage({ recipient: "me", attachment }, { onProgress });
  lines.push(progress > bytes.length ? "sent, with progress" : `sent ${progress} bytes`);
  lines.push(await heard);

  const back = await (await me.getAttachment(sent.message_id)).blob();
  const same = new Uint8Array(await back.arrayBuffer()).every((byte, at) => byte === bytes[at]);
  lines.push(`got ${back.size === bytes.length && same ? "the same" : "another"} ${back.type}`);

  lines.push(await why(me.sendMessage({ recipient: "me", attachment, ttl: 0 })));
  const giveUp = new AbortController();
  const given = me.sendMessage({ recipient: "me", attachment }, { signal: giveUp.signal });
  giveUp.abort();
  lines.push(await why(given));

  const stream = me.events();
  await stream.next();
  await me.endSession();
  lines.push(await why((async () => {
    for await (const event of stream) void event;
  })()));
  return lines;
}

async function why(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "not refused";
  } catch (error) {
    return error instanceof SignetError ? `refused: ${error.status} ${error.field}` : String((error as Error).name);
  }
}
