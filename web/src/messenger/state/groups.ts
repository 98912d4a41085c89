// What one may do in a group, as far as the list of conversations tells.
import { mostMembers } from "../../kit/limits";
import { session } from "../../kit/state/session";
import { time } from "../../text/clock";
import type { Entity } from "./conversations";

export type Group = Extract<Entity, { num_members: number }>;

/** groupOf is the group that a conversation is with; undefined where it is with a person. */
export function groupOf({ entity }: { entity: Entity }): Group | undefined {
  return "num_members" in entity ? entity : undefined;
}

/** isMember tells whether one is in a group: of one that one has left, or that is gone, nobody is told any more. */
export function isMember({ num_members, members }: Group): boolean {
  if (num_members === 0) return false;
  const me = session.value?.account.token;
  const whole = members !== undefined && members.length >= num_members; // of large ones the list is left out, or empty
  return !whole || me === undefined || members.includes(me);
}

/** listsMembers tells whether the interface names the members of a group: very many of one of everybody are only counted. */
export function listsMembers({ everyone, num_members }: Group): boolean {
  return !everyone || num_members <= mostMembers;
}

/** isIn tells whether one is in a conversation: with a person always. */
export function isIn(conversation: { entity: Entity }): boolean {
  const group = groupOf(conversation);
  return !group || isMember(group);
}

/** mayWrite tells whether one may write in a conversation: to everybody of an organization its administrators may. */
export function mayWrite(conversation: { entity: Entity }): boolean {
  const group = groupOf(conversation);
  return isIn(conversation) && (!group?.everyone || (session.value?.administrator_of ?? []).includes(group.organization_key));
}

export function administers({ num_members, organization_key }: Group): boolean {
  const { administrator_of: mine = [], elevated_until: end } = session.value ?? {};
  return num_members > 0 && end !== undefined && Date.parse(end) > time() && mine.includes(organization_key);
}

/** mayChange tells whether one may change a group's name and picture. */
export function mayChange(group: Group): boolean {
  return (isMember(group) && !group.everyone) || administers(group);
}

/** mayMove tells whether one may add people to a group, and remove them: not where a rota does it. */
export function mayMove(group: Group): boolean {
  return mayChange(group) && !group.everyone && !group.duty;
}

/** mayControl tells whether one may decide what those see who are added later. */
export function mayControl(group: Group): boolean {
  return administers(group) || (mayChange(group) && isMember(group) && group.created_by === session.value?.account.token);
}
