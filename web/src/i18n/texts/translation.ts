/** The types of the catalogues. */

/** Plural forms by the rules of the language. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };
export type Entry = string | Forms;
/** The texts of one catalogue in another language. */
export type Translation<Texts> = Readonly<Record<keyof Texts, Entry>>;
