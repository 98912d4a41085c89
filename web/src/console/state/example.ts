/** The person of the template. No row that somebody has filled in has both addresses. */
export const example = { username: "example.person", email: "example.person@example.com" } as const;
