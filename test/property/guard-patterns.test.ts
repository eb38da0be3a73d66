import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Constructed } from '../harness/regexp/constructed.ts';
import { costOf } from '../harness/regexp/cost.ts';
import { writtenIn } from '../harness/regexp/sources.ts';

/** Steps from one start, at most: the cues of the guard `injection`, with up to two gaps of ten words, take half. */
const MAX_STEPS = 250_000;

/** What reads callers' texts on the event loop. Of these all patterns are checked, and that none is put together that was not seen. */
const GUARDS = [
  ...['budget', 'injection', 'pii', 'rag', 'residency', 'rules', 'schema', 'secrets', 'webhook'].map(
    (name) => `plugins/guard-${name}/src`,
  ),
  ...['masking', 'matching', 'work'].map((name) => `sdk/toolkit/src/${name}`),
  'kernel/runtime/src/texts',
];
/** These read callers' texts, or parts of their requests, as well. */
const OTHERS = ['kernel/contracts/src', 'kernel/kernel/src', 'kernel/runtime/src', 'host/src/http'];

/** The project's target knows no such literal. */
const SETS = String.raw`[[\p{L}\p{Nd}]--[a-c]]{1,20}(?![\p{L}])`;

/** Reads patterns of the operator, when the configuration is loaded. */
const OF_OPERATORS = 'sdk/toolkit/src/matching/pattern-shape.ts';

/** Reads sentences of upstreams' errors, cut to 8,192 characters, and comes with the protocols that some guards know. */
const OF_UPSTREAMS = 'kernel/protocols/src/upstream-error/';

function isOfOthers(file: string): boolean {
  return file === OF_OPERATORS || file.startsWith(OF_UPSTREAMS);
}

/** What is wrong with a pattern; null for none. */
function fault(pattern: RegExp): string | null {
  const { fixed, linear, beyond } = costOf(pattern);
  if (beyond > 0) return 'a start may take more than linear time: neighbours share characters, or a look-around has no bound';
  if (fixed > MAX_STEPS) return `a start may take ${fixed.toExponential(0)} steps: neighbours share characters`;
  // From the beginning alone.
  if (linear > 0 && !(pattern.source.startsWith('^') && !pattern.multiline)) return 'each start may read the text to its end';
  return null;
}

describe('a pattern is refused', () => {
  test.each<[string, RegExp]>([
    [
      'whose gaps and words share a hyphen: a list of header names took 40 s for 243 characters',
      new RegExp(`send${"(?:[^a-z.!?]{1,6}[a-z'-]{1,24}){0,8}?[^a-z.!?]{1,6}"}keys`),
    ],
    ['that repeats a repetition', /^(?:a+)+$/],
    ['that repeats alternatives which share a character', /^(?:a|ab|[a-c])*$/],
    ['that repeats what may be split in many ways', /(?:\d+\.?\d*)+x/],
    ['with neighbours that share characters', /^\w*\d*$/],
    ['with three bounded neighbours that share characters', /\w{0,100}\d{0,100}[a-z0-9]{0,100}!/],
    ['that may begin anywhere in what it then reads', /[a-z-]+@/],
    ['that may begin anywhere in what it then reads, behind a prefix of that', /-{3,}\s?end/],
    ['that looks for a space at the end', /\s+$/],
    ['that reads on behind each beginning', /<!--.*-->/],
    ['with a look-ahead without a bound', /a(?=[^b]*b)/],
    ['with a look-behind without a bound', /(?<=a\s*)b/],
    ['whose back-reference repeats a run', /(a+)\1x/],
  ])('%s', (_, pattern) => {
    expect(fault(pattern)).not.toBeNull();
  });
});

describe('a pattern is accepted', () => {
  test.each<[string, RegExp]>([
    ['of a word', /\b(?:print|reveal|repeat)\b/i],
    ['of a run that nothing follows', /[A-Za-z0-9+/]{16,}={0,2}/g],
    ['of groups, each told from what parts them', /(?<!\d)(?:\d{2}[ -]?){10,}/g],
    ['whose gaps and words share nothing', /send(?:[^a-z.!?]{1,6}[a-z]{1,24}){0,9}?[^a-z.!?]{1,6}keys/],
    ['that begins at the beginning alone', /^[^:]*:\/\/[^/]*$/],
    ['that reads characters with which none begins', /<[^<>]*>/],
    ['whose alternatives differ in the second character', /(?:0x[0-9a-f]{2}|[0-9a-f]{2}){10,}/],
    ['of a quotation', /"[^"\n]{1,200}"|'[^'\n]{1,200}'/u],
    ['in sets', new RegExp(SETS, 'v')],
  ])('%s', (_, pattern) => {
    expect(fault(pattern)).toBeNull();
  });
});

describe('of guards', () => {
  test('each listed pattern takes linear time', { timeout: 240_000 }, () => {
    const written = writtenIn([...GUARDS, ...OTHERS]);
    expect(written.length).toBeGreaterThan(200);
    const wrong = written.flatMap(({ file, line, pattern }) => {
      const why = pattern === null || isOfOthers(file) ? null : fault(pattern);
      return why === null ? [] : [`${file}:${line} ${why}`];
    });
    expect([...new Set(wrong)]).toEqual([]);
  });

  test('each composed pattern takes linear time, and no place with a pattern was missed', { timeout: 240_000 }, () => {
    const script = join(import.meta.dirname, '..', 'harness', 'regexp', 'constructed.ts');
    const made: Constructed[] = JSON.parse(
      execFileSync(process.execPath, ['--conditions=@svc/source', script, ...GUARDS], {
        encoding: 'utf8',
        maxBuffer: 100_000_000,
      }),
    );
    const places = writtenIn(GUARDS).flatMap(({ file, line, pattern }) => (pattern === null ? [`${file}:${line}`] : []));
    expect(places.length).toBeGreaterThan(20);
    const seen = new Set(made.map(({ file, line }) => `${file}:${line}`));
    expect(places.filter((place) => !seen.has(place))).toEqual([]);
    const patterns = new Map(made.map((one) => [`${one.flags}/${one.source}`, one]));
    const wrong = [...patterns.values()].flatMap(({ file, line, source, flags }) => {
      const why = isOfOthers(file) ? null : fault(new RegExp(source, flags));
      return why === null ? [] : [`${file}:${line} ${why}: ${source.slice(0, 200)}`];
    });
    expect(wrong).toEqual([]);
  });
});
