// What happens, from the account's events, to what the page shows.
import { SignetError, type SignetEvent } from "../client/index";
import * as conversations from "./conversations";
import * as messages from "./messages";
import * as outbox from "./outbox";
import { client, offline, session } from "./session";

/** follow keeps the page up to date until the session ends. */
export async function follow(): Promise<void> {
  try {
    const stream = client.events({
      acknowledge: true,
      selfCopies: true,
      onConnect: () => {
        offline.value = false;
        void outbox.flush();
      },
      onDisconnect: () => (offline.value = true),
    });
    for await (const event of stream) await apply(event);
  } catch (error) {
    if (!(error instanceof SignetError) || error.status !== 401) throw error;
    session.value = null;
  }
}

async function apply(event: SignetEvent): Promise<void> {
  switch (event.kind) {
    case "message":
    case "group_message":
      messages.add(event.payload);
      await conversations.note(event.payload);
      if (conversations.chosen.value === conversations.entityOf(event.payload) && document.visibilityState === "visible") {
        await conversations.read(conversations.chosen.value);
      }
      return;
    case "message:status":
    case "group:message:status": {
      const { client_id, ...rest } = event.payload;
      messages.change(client_id, (message) => {
        if ("is_recalled" in rest) return { ...message, is_recalled: true, body: "", attachments: [] };
        // Of a group the least advanced counts, which the message itself tells.
        return message.group_token || rest.status === "Confirmed" ? message : { ...message, status: rest.status };
      });
      return;
    }
    case "friends":
      return conversations.load();
    default:
  }
}
