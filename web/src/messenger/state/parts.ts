// What the parts of the messenger do for each other, while they are shown.

interface Parts {
  composer: {
    /** Takes the focus; atEnd, behind what is written already. */
    focus: (atEnd?: boolean) => void;
    /** Takes files to be sent. */
    attach: (files: Iterable<File>) => void;
  };
  history: {
    /** Gives the focus to a message, or else to the newest of which something is seen. */
    focus: (id?: string) => void;
    toNewest: () => void;
    /** Goes to the first unread message, if there is one. */
    toUnread: () => void;
  };
  search: {
    /** Gives the focus to the field. */
    focus: () => void;
    /** Whether it is seen: where there is little room, a conversation takes its place. */
    isShown: () => boolean;
    /** Whether somebody types there. */
    hasFocus: () => boolean;
  };
  results: {
    /** Gives the focus to the first that is found. */
    focus: () => void;
  };
}

/** Those that are shown. */
export const parts: Partial<Parts> = {};

/** show says what a part does, until the function that it returns is called. */
export function show<P extends keyof Parts>(name: P, part: Parts[P]): () => void {
  parts[name] = part;
  return () => {
    if (parts[name] === part) delete parts[name]; // another may have come before this one went
  };
}
