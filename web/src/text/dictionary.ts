// What a dictionary is. The English one says which texts there are.
import type en from "./en.json";

export type Text = keyof typeof en;

/** An entry of a dictionary; one with forms has one for each plural of its language, by its value n. */
export type Entry = string | { readonly [rule in Intl.LDMLPluralRule]?: string };
export type Dictionary = Readonly<Record<Text, Entry>>;
