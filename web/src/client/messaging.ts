import { Base, once, type Options } from "./base.js";
import type { Download, DownloadOptions } from "./download.js";
import { event } from "./stream.js";
import { type CallOptions, newRequestID, type UploadOptions } from "./transport.js";
import type { Body, MadeGroup, Query, Reply, Schemas, Sent, SignetEvent } from "./types.js";

/** What a send takes besides the message. */
export type SendOptions<O extends "sendMessage" | "forwardMessage" = "sendMessage"> = Options<O> &
  UploadOptions & {
    /**
     * Makes a repeat harmless, even by another process: the server makes one message for it within 24
     * hours. 1 to 128 visible ASCII characters; the client makes one for the call unless set.
     */
    request_id?: string;
  };

/** The calls that people make: events, groups, messages, conversations. */
export class Messaging extends Base {
  // Events.

  /** Reads the queue: the oldest events that are not acknowledged, or those after one (GET /v2/events). */
  async getEvents(
    options: CallOptions & Omit<Query<"getEvents">, "features" | "lastEventId"> = {},
  ): Promise<SignetEvent[]> {
    const wait = 1000 * Number(options.wait ?? 0);
    // A second answer would lack what the lost first one acknowledged.
    const acknowledges = /^(true|1)$/i.test(String(options.auto_ack));
    const call = { method: "GET", path: ["v2", "events"], query: options, options, patience: wait, once: acknowledges };
    const queue = await this.transport.reply<Reply<"getEvents">>(call);
    return queue.map((entry) => event(entry, true));
  }

  /** Deletes all queued events and closes the account's streams (DELETE /v2/events). */
  deleteEvents(body: Body<"deleteEvents"> = {}, options?: CallOptions): Promise<Reply<"deleteEvents">> {
    return this.delete(["events"], body, options, once); // what came in between was not meant
  }

  /** Acknowledges events, by their ids: up to some 5,000 in a call (POST /v2/events/ack). */
  ackEvents(events: string[], options?: CallOptions): Promise<Reply<"ackEvents">> {
    return this.post(["events", "ack"], { events }, options);
  }

  // Groups.

  /** Makes a group (POST /v2/group). */
  async createGroup(
    body: Body<"createGroup">,
    options: Options<"createGroup"> & UploadOptions = {},
  ): Promise<MadeGroup> {
    const call = {
      method: "POST",
      path: ["v2", "group"],
      query: { render_entity: options.render_entity, exclude_creator: options.exclude_creator },
      body,
      options,
      once: true,
    };
    const { reply, headers } = await this.transport.answer<Schemas["Group"]>(call);
    const made = { token: this.headerOf(headers, "Group-Token"), avatar: this.headerOf(headers, "Group-Avatar") };
    return reply ? { ...made, group: reply } : made;
  }

  /** Makes a group of a role (POST /v2/role_group). */
  createRoleGroup(
    body: Body<"createRoleGroup">,
    options?: CallOptions & UploadOptions,
  ): Promise<Reply<"createRoleGroup">> {
    return this.post(["role_group"], body, options, once);
  }

  /** Shows a group (GET /v2/group/:group). */
  getGroup(group: string, options?: Options<"getGroup">): Promise<Reply<"getGroup">> {
    return this.get(["group", group], options);
  }

  /** Changes a group, and returns the URL of its picture: empty if it has none (POST /v2/group/:group). */
  async updateGroup(
    group: string,
    body: Body<"updateGroup">,
    options: CallOptions & UploadOptions = {},
  ): Promise<{ avatar: string }> {
    const { headers } = await this.transport.answer({ method: "POST", path: ["v2", "group", group], body, options });
    return { avatar: this.headerOf(headers, "Group-Avatar") };
  }

  /** Deletes a group (DELETE /v2/group/:group). */
  deleteGroup(group: string, options?: CallOptions): Promise<void> {
    return this.delete(["group", group], undefined, options);
  }

  /** Lists the members of a group (GET /v2/group/:group/members). */
  getGroupMembers(group: string, options?: CallOptions): Promise<Reply<"getGroupMembers">> {
    return this.get(["group", group, "members"], options);
  }

  /** Adds members to a group (POST /v2/group/:group/members). */
  addGroupMembers(group: string, members: string[], options?: CallOptions): Promise<void> {
    return this.post(["group", group, "members"], { members }, options);
  }

  /** Removes members from a group (POST /v2/group/:group/members/remove). */
  removeGroupMembers(group: string, members: string[], options?: CallOptions): Promise<void> {
    return this.post(["group", group, "members", "remove"], { members }, options);
  }

  /** Gives a group a rota, by which its members change from then on (POST /v2/group/:group/duty). */
  setDuty(group: string, rota: Body<"setDuty">, options?: CallOptions): Promise<void> {
    return this.post(["group", group, "duty"], rota, options);
  }

  /** Shows who is on duty, and the shifts of two weeks or of a span (GET /v2/group/:group/duty). */
  getDuty(group: string, options?: Options<"getDuty">): Promise<Reply<"getDuty">> {
    return this.get(["group", group, "duty"], options);
  }

  /** Opens the same as a calendar, text/calendar (GET /v2/group/:group/duty.ics). */
  getDutyCalendar(
    group: string,
    options?: CallOptions & DownloadOptions & Query<"getDutyCalendar">,
  ): Promise<Download> {
    const { from, to, ...rest } = options ?? {};
    return this.download(["group", group, "duty.ics"], rest, { from, to });
  }

  /** Takes the rota of a group away, whose members stay who they are (DELETE /v2/group/:group/duty). */
  endDuty(group: string, options?: CallOptions): Promise<void> {
    return this.delete(["group", group, "duty"], undefined, options);
  }

  // Messages.

  /** Sends a message, once however often it has to be repeated. It is on the server's disk then (POST /v2/message). */
  sendMessage(body: Body<"sendMessage">, options: SendOptions = {}): Promise<Sent> {
    return this.send(["message"], body, options);
  }

  /** Shows a message (GET /v2/message/:message). */
  getMessage(message: string, options?: CallOptions): Promise<Reply<"getMessage">> {
    return this.get(["message", message], options);
  }

  /** Takes one's own message back (DELETE /v2/message/:message). */
  recallMessage(message: string, options?: CallOptions): Promise<void> {
    return this.delete(["message", message], undefined, options);
  }

  /** Opens a message's file (GET /v2/message/:message/attachment/1). */
  getAttachment(message: string, number = 1, options?: CallOptions & DownloadOptions): Promise<Download> {
    return this.download(["message", message, "attachment", String(number)], options);
  }

  /** Shows how far a message got with each recipient (GET /v2/message/:message/status). */
  getMessageStatus(message: string, options?: CallOptions): Promise<Reply<"getMessageStatus">> {
    return this.get(["message", message, "status"], options);
  }

  /** Sends a message on, its file included, as safely as sendMessage (POST /v2/message/:message/forward). */
  forwardMessage(
    message: string,
    body: Body<"forwardMessage">,
    options: SendOptions<"forwardMessage"> = {},
  ): Promise<Sent> {
    return this.send(["message", message, "forward"], body, options);
  }

  /** Shows how a message that one sent is sent on while nobody has heard it (GET /v2/message/:message/escalation). */
  getEscalation(message: string, options?: CallOptions): Promise<Reply<"getEscalation">> {
    return this.get(["message", message, "escalation"], options);
  }

  /** Ends that (DELETE /v2/message/:message/escalation). */
  cancelEscalation(message: string, options?: CallOptions): Promise<void> {
    return this.delete(["message", message, "escalation"], undefined, options);
  }

  /** Marks messages that came as Delivered, Read or Confirmed, up to 500 (POST /v2/message/status). */
  setMessageStatus(body: Body<"setMessageStatus">, options?: CallOptions): Promise<void> {
    return this.post(["message", "status"], body, options);
  }

  /** The same as setMessageStatus (PUT /v2/message/status). */
  putMessageStatus(body: Body<"putMessageStatus">, options?: CallOptions): Promise<void> {
    return this.post(["message", "status"], body, options, { method: "PUT" });
  }

  /** Tells a recipient that one is writing (POST /v2/message/typing). */
  startTyping(recipient: string, options?: CallOptions): Promise<void> {
    return this.post(["message", "typing"], { recipient }, options);
  }

  /** Tells a recipient that one has stopped (DELETE /v2/message/typing/:recipient). */
  stopTyping(recipient: string, options?: CallOptions): Promise<void> {
    return this.delete(["message", "typing", recipient], undefined, options);
  }

  /** The same as stopTyping: the sender is the caller (DELETE /v2/message/typing/:recipient/:sender). */
  stopTypingOfSender(recipient: string, sender: string, options?: CallOptions): Promise<void> {
    return this.delete(["message", "typing", recipient, sender], undefined, options);
  }

  /** Shows how far messages got, up to 500 (POST /v2/get_bulk_message_status). */
  getBulkMessageStatus(messages: string[], options?: CallOptions): Promise<Reply<"getBulkMessageStatus">> {
    return this.post(["get_bulk_message_status"], { messages }, options);
  }

  // Metadata.

  /** Shows the metadata of a user or group (GET /v2/metadata/:entity). */
  getMetadata(entity: string, options?: CallOptions): Promise<Reply<"getMetadata">> {
    return this.get(["metadata", entity], options);
  }

  /** Replaces all metadata of a user or group (POST /v2/metadata/:entity). */
  setMetadata(entity: string, body: Body<"setMetadata">, options?: CallOptions): Promise<void> {
    return this.post(["metadata", entity], body, options);
  }

  /** Deletes the metadata of a user or group (DELETE /v2/metadata/:entity). */
  deleteMetadata(entity: string, options?: CallOptions): Promise<void> {
    return this.delete(["metadata", entity], undefined, options);
  }

  /** Shows the metadata of users and groups, up to 1,000, in their order (POST /v2/metadata_bulk). */
  getBulkMetadata(entities: string[], options?: CallOptions): Promise<Reply<"getBulkMetadata">> {
    return this.post(["metadata_bulk"], { entities }, options);
  }

  // Roster and conversations.

  /** Lists the caller's conversations with their entities (GET /v2/roster). */
  getRoster(options?: Options<"getRoster">): Promise<Reply<"getRoster">> {
    return this.get(["roster"], options);
  }

  /** Adds a user or group to the roster (POST /v2/roster). */
  addToRoster(body: Body<"addToRoster">, options?: CallOptions): Promise<void> {
    return this.post(["roster"], body, options);
  }

  /** Removes a conversation with the caller's copies of its messages; a group is left (DELETE /v2/roster/:entity). */
  removeFromRoster(entity: string, options?: CallOptions): Promise<void> {
    return this.delete(["roster", entity], undefined, options);
  }

  /** Lists the caller's conversations, newest first (GET /v2/conversation). */
  getConversations(options?: Options<"getConversations">): Promise<Reply<"getConversations">> {
    return this.get(["conversation"], options);
  }

  /**
   * Lists messages of a conversation, newest first, from before a `sort_number`; or, with `after`,
   * what came after one, oldest first (GET /v2/conversation/:entity/message). With `notes` there are
   * also notes of what changed of a group, in the one order.
   */
  getHistory(entity: string, options: Options<"getHistory"> & { notes: true }): Promise<Schemas["HistoryPage"]>;
  getHistory(entity: string, options?: Options<"getHistory"> & { notes?: false }): Promise<Schemas["MessagePage"]>;
  getHistory(entity: string, options?: Options<"getHistory">): Promise<Reply<"getHistory">> {
    return this.get(["conversation", entity, "message"], options);
  }

  /** Marks a conversation as Read up to a `sort_number` (POST /v2/conversation/:entity/read). */
  readConversation(entity: string, up_to: number, options?: CallOptions): Promise<void> {
    return this.post(["conversation", entity, "read"], { up_to }, options);
  }

  /**
   * Looks through the messages that the caller's histories show, newest first. A page that is not the
   * last may have few results, or none (POST /v2/conversation/search).
   */
  searchMessages(body: Body<"searchMessages">, options?: CallOptions): Promise<Reply<"searchMessages">> {
    return this.post(["conversation", "search"], body, options);
  }

  /** Finds users and groups (POST /v2/search). */
  search(body: Body<"search">, options?: CallOptions): Promise<Reply<"search">> {
    return this.post(["search"], body, options);
  }

  // Mute.

  /** Lists what the caller muted (GET /v2/mute). */
  getMutes(options?: CallOptions): Promise<Reply<"getMutes">> {
    return this.get(["mute"], options);
  }

  /** Ends all of it (DELETE /v2/mute). */
  clearMutes(options?: CallOptions): Promise<void> {
    return this.delete(["mute"], undefined, options);
  }

  /** Mutes the conversation with a user, for minutes (POST /v2/mute/p2p). */
  muteConversation(body: Body<"muteConversation">, options?: CallOptions): Promise<void> {
    return this.post(["mute", "p2p"], body, options);
  }

  /** Ends that (DELETE /v2/mute/p2p). */
  unmuteConversation(body: Body<"unmuteConversation">, options?: CallOptions): Promise<void> {
    return this.delete(["mute", "p2p"], body, options);
  }

  /** Mutes a group, for minutes (POST /v2/mute/group/:group). */
  muteGroup(group: string, body: Body<"muteGroup">, options?: CallOptions): Promise<void> {
    return this.post(["mute", "group", group], body, options);
  }

  /** Ends that (DELETE /v2/mute/group/:group). */
  unmuteGroup(group: string, body: Body<"unmuteGroup"> = {}, options?: CallOptions): Promise<void> {
    return this.delete(["mute", "group", group], body, options);
  }

  /** Mutes an organization, for minutes (POST /v2/mute/organization/:organization). */
  muteOrganization(organization: string, body: Body<"muteOrganization">, options?: CallOptions): Promise<void> {
    return this.post(["mute", "organization", organization], body, options);
  }

  /** Ends that (DELETE /v2/mute/organization/:organization). */
  unmuteOrganization(
    organization: string,
    body: Body<"unmuteOrganization"> = {},
    options?: CallOptions,
  ): Promise<void> {
    return this.delete(["mute", "organization", organization], body, options);
  }

  // Push.

  /** The key with which a browser subscribes; 404 where nothing is pushed (GET /v2/push). */
  getPush(options?: CallOptions): Promise<Reply<"getPush">> {
    return this.get(["push"], options);
  }

  /** Lists the browsers that are told of new messages (GET /v2/user/me/push). */
  getSubscriptions(options?: CallOptions): Promise<Reply<"getSubscriptions">> {
    return this.get(["user", "me", "push"], options);
  }

  /** Has a browser told of new messages until the session ends (POST /v2/user/me/push). */
  subscribe(body: Body<"subscribe">, options?: CallOptions): Promise<void> {
    return this.post(["user", "me", "push"], body, options);
  }

  /** Ends that (DELETE /v2/user/me/push/:id). */
  unsubscribe(id: string, options?: CallOptions): Promise<void> {
    return this.delete(["user", "me", "push", id], undefined, options);
  }

  private async send(
    path: string[],
    body: object,
    options: CallOptions & { request_id?: string; response_format?: string },
  ): Promise<Sent> {
    const { request_id = newRequestID(), response_format } = options;
    const { reply, status, headers } = await this.transport.answer<Schemas["Message"]>({
      method: "POST",
      path: ["v2", ...path],
      query: { response_format },
      headers: { "Request-ID": request_id },
      ok: [304],
      body,
      options,
    });
    const sent = {
      message_id: this.headerOf(headers, "Message-Id"),
      ttl: Number(this.headerOf(headers, "Msg-Ttl")),
      request_id,
      repeated: status === 304,
    };
    return reply ? { ...sent, message: reply } : sent;
  }
}
