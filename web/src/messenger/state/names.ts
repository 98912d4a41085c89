// Names where there is little room.

// What may stand before a name and is none: titles, degrees and forms of address.
const titles = new Set(
  `prof professor professorin professeur professeure dr dre doc docteur docteure doctor doktor pd privatdozent
  privatdozentin priv.-doz dipl dipl.-ing dipl.-med dipl.-psych mag lic univ.-prof ing oberarzt oberärztin chefarzt
  chefärztin facharzt fachärztin assistenzarzt assistenzärztin schwester pfleger herr frau mr mrs ms miss mx mister madame
  mme mlle mademoiselle monsieur maître sir dame lady lord nurse sister`.split(/\s+/),
);

// Those that are names as well, where no full stop shortens them.
const shortened = new Set("med rer nat phil jur theol habil hc h.c h e.h mult dent vet pol sc oec em apl hon pr m me fr hr sr".split(" "));

function isTitle(word: string): boolean {
  const plain = word.toLocaleLowerCase().replace(/\.$/, "");
  return titles.has(plain) || (word.endsWith(".") && shortened.has(plain));
}

/**
 * shortName is the first name of a person, without the titles before it. Where that can't be told, as in "Dr. Brown",
 * "J. Brown" or "Brown, Bob", it is the whole name: a wrong one is worse than a long one.
 */
export function shortName(name: string): string {
  const words = name.trim().split(/\s+/);
  const from = words.findIndex((word) => !isTitle(word));
  const [first = "", ...others] = from < 0 ? [] : words.slice(from);
  const told = !name.includes(",") && !/\.$/.test(first) && [...first].length > 1 && (from === 0 || others.length > 0);
  return told ? first : name.trim();
}
