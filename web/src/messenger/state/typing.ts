// Tells others that one is writing, seldom enough to cost little.
import type { Conversation } from "../../client/index";
import { client } from "../../kit/state/session";

const again = 5_000; // milliseconds after which it is said anew
let said = { token: "", time: 0 }; // by the clock that nobody sets

/** type tells that one writes in a conversation. */
export function type({ entity, organization_id }: Conversation): void {
  if (said.token === entity.token && performance.now() - said.time < again) return;
  said = { token: entity.token, time: performance.now() };
  client.in(organization_id).startTyping(entity.token).catch(() => undefined); // it is only a sign
}

/** rest tells that one has stopped. Who gets the message knows that. */
export function rest({ entity, organization_id }: Conversation, sent: boolean): void {
  if (said.token !== entity.token) return;
  said = { token: "", time: 0 };
  if (!sent) client.in(organization_id).stopTyping(entity.token).catch(() => undefined);
}
