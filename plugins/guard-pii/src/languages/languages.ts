/** Languages that are told apart by their words. */
export const LATIN = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl'] as const;

/** Languages in which names are looked for if listed. The last ones are told apart by their script. */
export const LANGUAGES = [...LATIN, 'ru', 'zh', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Languages in which names are found about as well as in English. See training/README.md. */
export const DEFAULT_LANGUAGES: readonly Language[] = ['en'];

export function isAny(languages: readonly Language[]): boolean {
  return LANGUAGES.every((language) => languages.includes(language));
}
