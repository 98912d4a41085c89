// The lengths of time that curves are shown for, and the questions that fetch them.

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** How long a range is, and how far its points are apart, in seconds. */
export interface Span {
  readonly seconds: number;
  readonly step: 60 | 3600 | 86400;
}

/** Those of the installation. By minute figures are kept for 25 hours, by hour for 400 days. */
export const ranges = {
  hour: { seconds: hour, step: 60 },
  day: { seconds: day, step: 60 },
  month: { seconds: 30 * day, step: 3600 },
  year: { seconds: 365 * day, step: 86400 },
} as const satisfies Readonly<Record<string, Span>>;

export type Range = keyof typeof ranges;

/** Those of an organization, of which one asks how many messages there are a day. */
export const days = {
  month: { seconds: 30 * day, step: 86400 },
  year: { seconds: 365 * day, step: 86400 },
} as const satisfies Readonly<Record<string, Span>>;

export type Days = keyof typeof days;

/** What the growth of storage is judged by. */
export const week: Span = { seconds: 7 * day, step: 3600 };

/** chosen is the range that an address names, or else the usual one. */
export function chosen<R extends string>(query: URLSearchParams, among: Readonly<Record<R, Span>>, usual: R): R {
  const named = query.get("range") ?? "";
  return Object.hasOwn(among, named) ? (named as R) : usual;
}

/** The question for a range that ends now. It begins where a step begins, as the server's times do. */
export interface Asked {
  since: string;
  until: string;
  step: Span["step"];
}

/** asked is the question for what was in a span before a time, which is in milliseconds since 1970. */
export function asked({ seconds, step }: Span, now: number): Asked {
  const since = Math.floor((now / 1000 - seconds) / step) * step;
  return { since: new Date(since * 1000).toISOString(), until: new Date(now).toISOString(), step };
}
