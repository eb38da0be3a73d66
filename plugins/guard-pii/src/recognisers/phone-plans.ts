import { type CountryCode, getCountries, getCountryCallingCode, Metadata, type PhoneNumberType } from 'libphonenumber-js/max';

/** Members of the library's plans that the library's types omit. */
interface Written {
  callingCode(): string;
  IDDPrefix(): string;
  leadingDigits(): string | undefined;
  nationalNumberPattern(): string;
  nationalPrefixForParsing(): string | undefined;
  nationalPrefixTransformRule(): string | undefined;
  possibleLengths(): readonly number[];
  type(of: PhoneNumberType): { pattern(): string; possibleLengths(): readonly number[] } | undefined;
}

/**
 * The numbers of one country: a plan of the library, compiled once. The library's own parser takes about 10 µs per number, and a text full of digits
 * has a candidate at every second character.
 */
interface Plan {
  /** International prefix. */
  readonly abroad: RegExp;
  /** National prefix, and its replacement in the plan. */
  readonly prefix: RegExp | null;
  readonly rule: string;
  readonly lengths: readonly number[];
  /** Distinguishes countries that share a calling code. */
  readonly leading: RegExp | null;
  readonly general: RegExp;
  /** Assigned numbers of any type. */
  readonly given: RegExp;
}

const TYPES: readonly PhoneNumberType[] = [
  'FIXED_LINE',
  'MOBILE',
  'TOLL_FREE',
  'PREMIUM_RATE',
  'SHARED_COST',
  'VOIP',
  'PERSONAL_NUMBER',
  'PAGER',
  'UAN',
  'VOICEMAIL',
];

/** Calling codes that belong to no country, such as those of satellite networks. */
const OF_NO_COUNTRY = ['800', '808', '870', '878', '881', '882', '883', '888', '979'];
const LONGEST_CALLING_CODE = 3;

/** Whether these digits are a valid number as dialled in a region, without the region's calling code. */
export function isNational(digits: string, region: CountryCode): boolean {
  const code = getCountryCallingCode(region);
  const [own] = plans().get(code) ?? [];
  const abroad = own?.abroad.exec(digits)?.[0].length ?? digits.length;
  const rest = digits.slice(abroad);
  return rest !== '' && !rest.startsWith('0') ? isInternational(rest) : isOfCode(digits, code);
}

/** Whether these digits are a valid number that starts with a calling code. */
export function isInternational(digits: string): boolean {
  for (let length = 1; length <= LONGEST_CALLING_CODE; length++) {
    const code = digits.slice(0, length);
    if (plans().has(code)) return isOfCode(digits.slice(length), code);
  }
  return false;
}

function isOfCode(digits: string, code: string): boolean {
  const sharing = plans().get(code) ?? [];
  const [first] = sharing;
  if (first === undefined) return false;
  const stripped = withoutPrefix(digits, first);
  const { lengths } = ownerOf(stripped, sharing) ?? first;
  const isWhole = first.general.test(digits) && !first.general.test(stripped);
  const national = isWhole || !isPossible(stripped.length, lengths) ? digits : stripped;
  return isGiven(national, ownerOf(national, sharing) ?? first);
}

function ownerOf(national: string, sharing: readonly Plan[]): Plan | undefined {
  if (sharing.length === 1) return sharing[0];
  return sharing.find((plan) => (plan.leading === null ? isGiven(national, plan) : plan.leading.test(national)));
}

function isGiven(national: string, { general, given }: Plan): boolean {
  return general.test(national) && given.test(national);
}

function withoutPrefix(digits: string, { prefix, rule }: Plan): string {
  const found = prefix?.exec(digits) ?? null;
  if (prefix === null || found === null) return digits;
  const isCaptured = found.length > 1 && found.at(-1) !== undefined;
  return digits.replace(prefix, isCaptured ? rule : '');
}

/** Whether a number can have this length. Lengths above the maximum are left to the patterns. */
function isPossible(length: number, lengths: readonly number[]): boolean {
  return lengths.includes(length) || length > Math.max(...lengths);
}

let known: ReadonlyMap<string, readonly Plan[]> | undefined;

/** Plans by calling code. The first plan of a code is the one by which its numbers are parsed. */
function plans(): ReadonlyMap<string, readonly Plan[]> {
  known ??= readPlans();
  return known;
}

function readPlans(): ReadonlyMap<string, readonly Plan[]> {
  const places = [...getCountries(), ...OF_NO_COUNTRY].map(read);
  const byCode = Map.groupBy(places, (written) => written.callingCode());
  return new Map([...byCode].map(([code, sharing]) => [code, inOrder(code, sharing).map(compile)]));
}

/** A calling code stands for the first of its countries. */
function inOrder(code: string, sharing: readonly Written[]): readonly Written[] {
  const first = read(code).nationalNumberPattern();
  return sharing.toSorted((a, b) => Number(b.nationalNumberPattern() === first) - Number(a.nationalNumberPattern() === first));
}

function read(place: string): Written {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(place as CountryCode);
  return metadata.numberingPlan as unknown as Written;
}

function compile(written: Written): Plan {
  // The library's data has 0 in place of a missing member.
  const prefix = written.nationalPrefixForParsing() || '';
  const leading = written.leadingDigits() || '';
  return {
    abroad: new RegExp(`^(?:${written.IDDPrefix()})`),
    prefix: prefix === '' ? null : new RegExp(`^(?:${prefix})`),
    rule: written.nationalPrefixTransformRule() || '',
    lengths: written.possibleLengths(),
    leading: leading === '' ? null : new RegExp(`^(?:${leading})`),
    general: new RegExp(`^(?:${written.nationalNumberPattern()})$`),
    given: new RegExp(`^(?:${TYPES.flatMap((type) => patternOf(written.type(type)) ?? []).join('|')})$`),
  };
}

function patternOf(type: ReturnType<Written['type']>): string | null {
  if (!type?.pattern()) return null;
  const lengths = type.possibleLengths().map((length) => `.{${length}}`);
  return `(?=(?:${lengths.join('|')})$)(?:${type.pattern()})`;
}
