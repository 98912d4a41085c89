// What an entry of the audit log can be about, as people look for it. A test holds this list to the server's.
import { isText, text } from "../../text/text";

/** The actions by what they are about, in the order in which they are offered. */
export const actions = {
  people: ["user.create", "user.update", "user.rename", "user.disable", "user.enable", "user.erase"],
  access: [
    "member.add", "member.remove", "role.grant", "role.revoke", "operator.create", "operator.reset", "operator.end",
    "row.forged", "access",
  ],
  keys: [
    "key.issue", "key.rotate", "key.revoke", "key.limit", "key.label",
    "webhook.create", "webhook.update", "webhook.delete", "webhook.rotate", "webhook.test", "webhook.disable",
  ],
  signIns: [
    "login", "logout", "password.set", "session.elevate", "session.lower", "identity.set", "identity.remove", "identity.test",
    "identity.link", "identity.forget", "passkey.make", "passkey.remove", "passkey.allow",
  ],
  groups: [
    "group.create", "group.update", "group.delete", "group.member.add", "group.member.remove", "group.duty.set", "group.duty.end",
    "message.recall",
  ],
  settings: [
    "organization.create", "organization.update", "organization.delete", "hold.set", "hold.release", "metadata.set",
    "metadata.delete", "escalation.set", "escalation.remove", "clock.accept",
  ],
  data: [
    "user.export", "hold.export", "audit.export", "audit.begin", "audit.key", "backup.create", "backup.restore",
    "keyring.rotate", "keyring.export", "keyring.import", "installation.adopt", "installation.promote",
    "more",
  ],
  reading: [
    "audit.read", "user.lookup", "user.read", "unread.read", "member.list", "role.list", "organization.read", "group.read",
    "metadata.read", "status.read", "settings.read", "queue.list", "message.undelivered",
    "message.list", "key.list", "webhook.read", "identity.read", "passkey.list",
  ],
} as const;

export type Subject = keyof typeof actions;

const whole = "all."; // which no action begins with

/** allOf names all actions of a subject, where one action could be named. */
export function allOf(subject: Subject): string {
  return whole + subject;
}

/** named are the actions that a name means: those of a subject, or itself; none that is empty. */
export function named(name: string): readonly string[] {
  const subject = name.startsWith(whole) ? name.slice(whole.length) : "";
  if (Object.hasOwn(actions, subject)) return actions[subject as Subject];
  return name === "" ? [] : [name];
}

const titles = { people: "console.people", groups: "console.groups", settings: "settings" } as const;

/** subjectTitle names a subject. */
export function subjectTitle(subject: Subject): string {
  if (subject === "people" || subject === "groups" || subject === "settings") return text(titles[subject]);
  return text(`console.actions.${subject}`);
}

/** reads tells whether an action only shows something. */
export function reads(action: string): boolean {
  return (actions.reading as readonly string[]).includes(action);
}

/** actionTitle is what one does with an action, as it stands within a sentence; one that is not known, its name. */
export function actionTitle(action: string): string {
  const name = `console.act.${action}`;
  return isText(name) ? text(name) : action;
}
