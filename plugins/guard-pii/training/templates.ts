import { NO_NAMES, PLACES } from './templates/nameless.ts';
import { OTHER_LANGUAGES } from './templates/other-languages.ts';
import { DIALOGUE, INTRODUCTIONS, LETTERS, PROSE } from './templates/people.ts';
import { RECORDS, TECHNICAL } from './templates/records.ts';

/**
 * Sentence templates written for this project, mostly in English. `{P}` full name of a person, `{F}` first name, `{L}` surname, `{C}` city,
 * `{K}` country, `{O}` organisation, `{S}` street and number, `{N}` nationality, `{J}` occupation, `{T}` title, `{M}` month, `{W}` weekday,
 * `{Y}` year, `{#}` number, `{E}` e-mail address, `{H}` phone number, `{A}` capitalised common word, `{a}` common word, `{X}` product or
 * brand, `{B}` invented brand, `{U}` abbreviation.
 */
export const TEMPLATES: readonly string[] = [
  ...INTRODUCTIONS,
  ...RECORDS,
  ...LETTERS,
  ...DIALOGUE,
  ...PROSE,
  ...PLACES,
  ...NO_NAMES,
  ...TECHNICAL,
  ...OTHER_LANGUAGES,
];
