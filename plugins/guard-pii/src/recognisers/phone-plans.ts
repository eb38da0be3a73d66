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

/** Regions whose numbers begin with a 0 within the country. */
export const TRUNK_REGIONS: readonly CountryCode[] = [
  'GB',
  'FR',
  'DE',
  'AU',
  'IT',
  'NL',
  'JP',
  'CN',
  'KR',
  'BE',
  'CH',
  'AT',
  'SE',
];

/** Calling codes that belong to no country, such as those of satellite networks. */
const OF_NO_COUNTRY = ['800', '808', '870', '878', '881', '882', '883', '888', '979'];
const LONGEST_CALLING_CODE = 3;

/** Whether these digits are a valid number as dialled in a region, without the region's calling code. */
export function isNational(digits: string, region: CountryCode): boolean {
  const code = getCountryCallingCode(region);
  const [own] = plans().byCode.get(code) ?? [];
  const abroad = own?.abroad.exec(digits)?.[0].length ?? digits.length;
  const rest = digits.slice(abroad);
  return rest !== '' && !rest.startsWith('0') ? isInternational(rest) : isOfCode(digits, code);
}

/** Whether these digits are a valid number that starts with a calling code. */
export function isInternational(digits: string): boolean {
  for (let length = 1; length <= LONGEST_CALLING_CODE; length++) {
    const code = digits.slice(0, length);
    if (plans().byCode.has(code)) return isOfCode(digits.slice(length), code);
  }
  return false;
}

/** Whether these digits, which begin with one 0, are a valid number as dialled within one of {@link TRUNK_REGIONS}, without a carrier's code. */
export function isTrunkNumber(digits: string): boolean {
  return plans().trunk.get(digits.length)?.test(digits) === true;
}

function isOfCode(digits: string, code: string): boolean {
  const sharing = plans().byCode.get(code) ?? [];
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

interface Plans {
  /** By calling code. The first plan of a code is the one by which its numbers are parsed. */
  readonly byCode: ReadonlyMap<string, readonly Plan[]>;
  /** The numbers of all trunk regions with the 0, by length. */
  readonly trunk: ReadonlyMap<number, RegExp>;
}

let known: Plans | undefined;

function plans(): Plans {
  known ??= readPlans();
  return known;
}

function readPlans(): Plans {
  const places = [...getCountries(), ...OF_NO_COUNTRY].map(read);
  const byCode = Map.groupBy(places, (written) => written.callingCode());
  return {
    byCode: new Map([...byCode].map(([code, sharing]) => [code, inOrder(code, sharing).map(compile)])),
    trunk: trunkNumbers(TRUNK_REGIONS.flatMap((region) => byCode.get(getCountryCallingCode(region)) ?? [])),
  };
}

function trunkNumbers(places: readonly Written[]): ReadonlyMap<number, RegExp> {
  const patterns = places.flatMap((written) => {
    // In Italy, the 0 is a part of the number.
    const prefix = written.nationalPrefixForParsing() ? '0' : '';
    return TYPES.flatMap((type) => {
      const { pattern, lengths } = typeOf(written, type);
      return lengths.map((length) => ({ length: length + prefix.length, pattern: `${prefix}(?:${pattern})` }));
    });
  });
  const byLength = Map.groupBy(patterns, ({ length }) => length);
  return new Map(
    [...byLength].map(([length, own]) => [length, new RegExp(`^(?:${own.map(({ pattern }) => pattern).join('|')})$`)]),
  );
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
    given: new RegExp(`^(?:${TYPES.flatMap((type) => patternOf(written, type)).join('|')})$`),
  };
}

function patternOf(written: Written, type: PhoneNumberType): string[] {
  const { pattern, lengths } = typeOf(written, type);
  return pattern === '' ? [] : [`(?=(?:${lengths.map((length) => `.{${length}}`).join('|')})$)(?:${pattern})`];
}

function typeOf(written: Written, type: PhoneNumberType): { readonly pattern: string; readonly lengths: readonly number[] } {
  const own = written.type(type);
  const pattern = own?.pattern() || '';
  return { pattern, lengths: pattern === '' ? [] : (own?.possibleLengths() ?? []) };
}
