// What the interface takes at once, or at most: what pages have to know before they ask, and no answer tells them. The
// limits that an operator sets are in the session.

/** Bytes of the picture of a person or a group. */
export const largestPicture = 2 * 2 ** 20;

/** Characters of the name of a group or an organization. */
export const longestName = 256;

/** Characters of what a key is for. */
export const longestLabel = 100;
/** Characters of a password, at least. */
export const leastPassword = 8;

/** Characters of the reason for which a message is taken back. */
export const longestReason = 200;

/** Minutes of a mute. */
export const longestMute = 525_600;

/** Messages whose statuses one call asks for, or sets. */
export const mostMessages = 500;

/** People whom one call makes. */
export const mostPeople = 500;

/** Members of a group of everybody up to which they are named. */
export const mostMembers = 2000;

/** Entries of the audit log in one answer. */
export const mostEntries = 1000;

/** Messages, or attachments, of an organization up to which they are counted. */
export const mostCounted = 100_000;
