import type { Random } from './random.ts';
import type { Locale, Sources } from './sources.ts';
import { MONTHS, NATIONALITIES, OCCUPATIONS, PRODUCTS, TITLES, WEEKDAYS } from './templates/fillers.ts';
import { TEMPLATES } from './templates.ts';

/** UNKNOWN: it may be a name or not, so nothing is learned from it. */
export type Label = 'PERSON' | 'LOCATION' | 'STREET' | 'ORGANIZATION' | 'UNKNOWN';

export interface Span<L extends string = Label> {
  readonly label: L;
  readonly start: number;
  readonly end: number;
}

export interface Document<L extends string = Label> {
  readonly text: string;
  readonly spans: readonly Span<L>[];
  /** Whether its names come from the model's own lists. Some of them must then count as unknown during training. */
  readonly invented: boolean;
  /** Equal for sentences of the same template. */
  readonly pattern: string;
}

export function invented(random: Random, sources: Sources): Document {
  const template = random.of(TEMPLATES);
  const locale = random.of(sources.locales);
  const spans: Span[] = [];
  let text = '';
  let from = 0;
  for (const match of template.matchAll(/\{(\w|#)\}/gu)) {
    text += template.slice(from, match.index);
    from = match.index + match[0].length;
    const start = text.length;
    const { words, label } = filling(match[1] ?? '', random, sources, locale);
    text += words;
    if (label !== undefined) spans.push({ label, start, end: text.length });
  }
  text += template.slice(from);
  return recased({ text, spans, invented: true, pattern: template }, random);
}

/** Puts other names in place of a text's names, so that the model learns from what is around them. */
export function renamed(document: Document, random: Random, sources: Sources): Document {
  const locale = random.of(sources.locales);
  const spans: Span[] = [];
  let text = '';
  let from = 0;
  for (const { label, start, end } of document.spans) {
    if (start < from) continue;
    text += document.text.slice(from, start);
    const words = otherName(document.text.slice(start, end), label, random, sources, locale);
    spans.push({ label, start: text.length, end: text.length + words.length });
    text += words;
    from = end;
  }
  return { text: text + document.text.slice(from), spans, invented: true, pattern: document.pattern };
}

/** Names of two words or more stay names of that length. Names in other forms, such as handles and acronyms, are kept. */
function otherName(name: string, label: Label, random: Random, sources: Sources, locale: Locale): string {
  const words = name.split(' ');
  if (!words.every((word) => /^\p{Lu}[\p{Ll}’'-]{2,}$/u.test(word)) || words.length > 3) return name;
  if (label === 'PERSON') {
    if (words.length === 1) return random.chance(0.5) ? random.of(locale.first) : surname(random, locale);
    return words.length === 2 ? `${random.of(locale.first)} ${surname(random, locale)}` : fullName(random, locale);
  }
  if (label === 'LOCATION') return random.chance(0.3) ? random.of(sources.regions) : random.of(sources.cities);
  return name;
}

/** Changes the case of a text, because some people write in lower case and some in capitals. */
function recased(document: Document, random: Random): Document {
  const dice = random.next();
  if (dice > 0.13) return document;
  const text = dice < 0.08 ? document.text.toLowerCase() : document.text.toUpperCase();
  return text.length === document.text.length ? { ...document, text } : document;
}

function filling(slot: string, random: Random, sources: Sources, locale: Locale): { words: string; label?: Label } {
  switch (slot) {
    case 'P':
      return { words: fullName(random, locale), label: 'PERSON' };
    case 'F':
      return { words: random.of(locale.first), label: 'PERSON' };
    case 'L':
      return { words: surname(random, locale), label: 'PERSON' };
    case 'C':
      return {
        words: random.chance(0.1) ? random.of(sources.cities).toUpperCase() : random.of(sources.cities),
        label: 'LOCATION',
      };
    case 'K':
      return { words: random.of(sources.countries), label: 'LOCATION' };
    case 'O':
      return { words: organisation(random, sources), label: 'ORGANIZATION' };
    case 'S':
      return { words: street(random, sources), label: 'STREET' };
    default:
      return { words: plain(slot, random, sources) };
  }
}

function plain(slot: string, random: Random, sources: Sources): string {
  switch (slot) {
    case 'N':
      return random.of(NATIONALITIES);
    case 'J':
      return random.of(OCCUPATIONS);
    case 'T':
      return random.of(TITLES);
    case 'M':
      return random.of(MONTHS);
    case 'W':
      return random.of(WEEKDAYS);
    case 'X':
      return random.of(PRODUCTS);
    case 'Y':
      return String(1900 + random.below(130));
    case '#':
      return String(random.below(10 ** (1 + random.below(5))));
    case 'B':
      return brand(random, sources);
    case 'U':
      return abbreviation(random);
    case 'E':
      return `${random.of(sources.first).toLowerCase().replace(/\W/g, '')}${random.below(99)}@${random.of(sources.common)}.com`;
    case 'H':
      return `+${10 + random.below(80)} ${100 + random.below(800)} ${1000 + random.below(8999)}`;
    case 'A':
      return capitalised(random.of(sources.common));
    case 'a':
      return random.of(sources.common);
    default:
      throw new Error(`no filling for ${slot}`);
  }
}

function fullName(random: Random, locale: Locale): string {
  const first = random.of(locale.first);
  const last = surname(random, locale);
  const initial = String.fromCharCode(65 + random.below(26));
  const dice = random.next();
  if (dice < 0.53) return `${first} ${last}`;
  if (dice < 0.65) return `${first} ${initial}. ${last}`;
  if (dice < 0.71) return `${first} ${initial} ${last}`;
  if (dice < 0.75) return `${initial}. ${last}`;
  if (dice < 0.77) return `${initial}. ${String.fromCharCode(65 + random.below(26))}. ${last}`;
  if (dice < 0.84) return `${first} ${random.of(locale.first)} ${last}`;
  if (dice < 0.87) return `${first} ${last}-${random.of(locale.last)}`;
  if (dice < 0.91) return `${first} ${last} ${random.of(locale.last)}`;
  if (dice < 0.97)
    return `${first} ${random.of(['de', 'van', 'von', 'de la', 'van der', 'bin', 'di', 'dos', 'del', 'da'])} ${last}`;
  return `${first} ${last} ${random.of(['Jr.', 'Jr', 'II', 'III', 'Sr.'])}`;
}

function surname(random: Random, locale: Locale): string {
  const last = random.of(locale.last);
  return random.chance(0.02) ? `${random.of(["O'", 'Mc', "D'", 'Mac'])}${last}` : last;
}

/** What names of organisations end with, after a place or a surname. */
const BODIES =
  'Bank,Airlines,United,University,Hospital,Orchestra,Foundation,Investments,Industries,Holdings,Institute,College,School,Museum,Capital,Logistics,Hotels,Motors,Pharmaceuticals,Brothers,Associates,Country Club,Police,Council,Times,Review,Award,Prize,Stadium,Airport,Church,Party,Campaign,Administration,Media,Award,Trophy,Center,Law Firm'.split(
    ',',
  );

function organisation(random: Random, sources: Sources): string {
  const last = () => random.of(sources.last);
  const word = () => capitalised(random.of(sources.common));
  const form = random.of([
    'Inc',
    'Inc.',
    'LLC',
    'Ltd',
    'Ltd.',
    'GmbH',
    'AG',
    'PLC',
    'Group',
    'Corp.',
    'Partners',
    'and Sons',
    'Bank',
  ]);
  switch (random.below(13)) {
    case 0:
      return `${last()} ${form}`;
    case 1:
      return `${last()}-${last()}`;
    case 2:
      return `${last()}, ${last()} and ${last()}`;
    case 3:
      return `${word()} ${word()} ${form}`;
    case 4:
      return `${word()}${random.of(sources.common)}`;
    case 5:
      return `${word()} ${random.of(['Systems', 'Consulting', 'Services', 'Media', 'Insurance', 'Research', 'Solutions'])}`;
    case 6:
      return `${last()} & ${last()}`;
    case 7:
      return abbreviation(random);
    case 8:
      return `${word()}${word()}`;
    case 9:
      return `${random.of(sources.cities)} ${random.of(BODIES)}`;
    case 10:
      return `${last()} ${random.of(BODIES)}`;
    case 11:
      return `${last()}, ${last()} and ${last()} ${random.of(BODIES)}`;
    default:
      return word();
  }
}

const USUAL_STREETS = ['Street', 'St.', 'Road', 'Rd', 'Avenue', 'Ave', 'Lane', 'Court', 'Drive', 'Square', 'Terrace'];

function street(random: Random, sources: Sources): string {
  const number = 1 + random.below(9999);
  const locale = random.of(sources.locales);
  const named = locale.streets.length > 0 ? random.of(locale.streets) : random.of(locale.last);
  const kind = random.chance(0.5) ? random.of(USUAL_STREETS) : random.of(sources.streetKinds);
  const owner = random.of(random.chance(0.5) ? locale.last : locale.first);
  switch (random.below(12)) {
    case 0:
      return `${number} ${named}`;
    case 8:
      return `${owner} ${kind}`;
    case 9:
      return `the corner of ${owner} ${kind} and ${named}`;
    case 10:
      return `${random.of(['USS', 'USNS', 'USCGC', 'HMS'])} ${owner}`;
    case 1:
      return `${named} ${number}`;
    case 2:
      return `${number} ${owner} ${kind}`;
    case 3:
      return `${number} ${named} ${owner} ${kind}`;
    case 4:
      return `${named} ${number} ${owner} ${kind}`;
    case 5:
      return `${random.of(['Rua', 'Via', 'Calle', 'Avenida', 'Rue', 'ul.', 'Piazza', 'Boulevard'])} ${owner} ${number}`;
    case 6:
      return `${owner}${random.of(['straße', 'strasse', 'gatan', 'gade', 'vej', 'straat', 'katu', 'weg', 'veien', 'laan', ' utca', ' tér'])} ${number}`;
    case 7:
      return `${number} ${owner} ${kind} ${random.of(['Suite', 'Apt.', 'Unit', 'Floor'])} ${random.below(900)}`;
    default:
      return `${random.of(['PSC', 'P.O. Box', 'Unit'])} ${number}, Box ${number}`;
  }
}

function brand(random: Random, sources: Sources): string {
  const word = () => random.of(sources.common);
  const ends = [
    'ify',
    'ly',
    'io',
    'base',
    'kit',
    'hub',
    'lint',
    'JS',
    'DB',
    'SQL',
    'OS',
    'Script',
    'Lab',
    'ware',
    'gres',
    'ex',
    'a',
    'o',
    'ix',
    'um',
  ];
  const end = random.of(ends);
  switch (random.below(5)) {
    case 0:
      return capitalised(word()) + capitalised(word());
    case 1:
      return capitalised(word()) + capitalised(word()) + capitalised(word());
    case 2:
      return capitalised(word().slice(0, 5)) + end;
    case 3:
      return capitalised(word());
    default:
      return random.of(PRODUCTS);
  }
}

function abbreviation(random: Random): string {
  return Array.from({ length: 2 + random.below(4) }, () => String.fromCharCode(65 + random.below(26))).join('');
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
