// Scores the pii guard against labelled texts: `npm run score:pii -- FILE.jsonl`, with a line per text: {"text", "spans": [{"entity_type", "start",
// "end"}]}. Offsets are in code points (`--utf16`: UTF-16 code units). `--presidio` also scores Presidio. Texts with a `language` are scored for each
// language, as if it were listed in `languages`, and once more as by default.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pii from '@svc/guard-pii';
import { fakeGuardContext, fakePluginDeps } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import type { Detected, Span } from './detected.ts';
import { presidio } from './presidio.ts';

interface Counts {
  found: number;
  right: number;
  labelled: number;
}

interface Labelled {
  readonly text: string;
  readonly language: string | undefined;
  readonly labels: readonly Span[];
}

/** Goals: precision, recall, F1. */
const GOALS: Readonly<Record<string, string>> = {
  EMAIL_ADDRESS: 'P 1 R 1',
  IBAN_CODE: 'P 1 R 1',
  IP_ADDRESS: 'P 1 R 1',
  URL: 'P 1 R 1',
  CREDIT_CARD: 'R .99 P .97',
  US_SSN: 'F1 .85',
  PHONE_NUMBER: 'F1 .85',
  PERSON: 'F1 .72',
  DATE_TIME: 'R .80 P .60',
  NRP: 'P .60 R .60',
};

/** Labels of data sets that have another name here. */
const SAME: Readonly<Record<string, string>> = { DOMAIN_NAME: 'URL', GPE: 'LOCATION' };

/**
 * Labels in which a finding of this type counts neither way. A town in a street address is a location, but labelled only as part of the address.
 */
const NEITHER: Readonly<Record<string, string>> = { LOCATION: 'STREET_ADDRESS' };

const NAMES = ['PERSON', 'LOCATION'];

const WARM_UP = 50;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    utf16: { type: 'boolean', default: false },
    show: { type: 'string' },
    presidio: { type: 'boolean', default: false },
  },
});
const [file] = positionals;
if (file === undefined) throw new Error('npm run score:pii -- FILE.jsonl [--utf16] [--show ENTITY] [--presidio]');

function inCodeUnits(text: string, { entity_type, start, end }: Span): Span {
  const characters = [...text];
  const offset = (count: number): number => (values.utf16 ? count : characters.slice(0, count).join('').length);
  return { entity_type: SAME[entity_type] ?? entity_type, start: offset(start), end: offset(end) };
}

function labelledTexts(lines: string): Labelled[] {
  return lines.split('\n').flatMap((line) => {
    if (line.trim() === '') return [];
    const { text, spans, language }: { text: string; spans: Span[]; language?: string } = JSON.parse(line);
    return [{ text, language, labels: spans.map((span) => inCodeUnits(text, span)) }];
  });
}

async function ours(texts: readonly string[], languages?: readonly string[]): Promise<Detected> {
  // Such data has no labels for regional numbers, which would only match text with other labels.
  const options = {
    extra_entities: ['DATE_TIME', 'URL', 'NRP', 'LOCATION', 'US_DRIVER_LICENSE'],
    ...(languages !== undefined && { languages }),
  };
  const guard = pii.create(Value.Parse(pii.options, Value.Default(pii.options, options)), fakePluginDeps());
  const scan = async (text: string): Promise<readonly Span[]> => (await guard.scan?.(text, fakeGuardContext()))?.findings ?? [];
  for (const text of texts.slice(0, WARM_UP)) await scan(text);
  const findings: (readonly Span[])[] = [];
  const began = performance.now();
  for (const text of texts) findings.push(await scan(text));
  return { findings, seconds: (performance.now() - began) / 1000 };
}

/** Intersection over union of a finding and a label. */
function overlap(a: Span, b: Span): number {
  const both = Math.min(a.end, b.end) - Math.max(a.start, b.start);
  return both <= 0 ? 0 : both / (Math.max(a.end, b.end) - Math.min(a.start, b.start));
}

function score(all: readonly Labelled[], { findings }: Detected): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>();
  const of = (entity_type: string): Counts => {
    const known = counts.get(entity_type) ?? { found: 0, right: 0, labelled: 0 };
    counts.set(entity_type, known);
    return known;
  };
  for (const [i, { text, labels }] of all.entries()) {
    const left = new Set(labels);
    for (const span of left) of(span.entity_type).labelled += 1;
    for (const finding of findings[i] ?? []) {
      const neither = ({ entity_type, start, end }: Span): boolean =>
        entity_type === NEITHER[finding.entity_type] && start <= finding.start && finding.end <= end;
      if (labels.some(neither)) continue;
      of(finding.entity_type).found += 1;
      const label = [...left].find((span) => span.entity_type === finding.entity_type && overlap(span, finding) >= 0.5);
      if (label === undefined) {
        show(finding.entity_type, 'found, no label', text, finding);
        continue;
      }
      left.delete(label);
      of(finding.entity_type).right += 1;
    }
    for (const span of left) show(span.entity_type, 'label, not found', text, span);
  }
  return counts;
}

function show(entity_type: string, what: string, text: string, { start, end }: Span): void {
  if (values.show !== entity_type) return;
  process.stdout.write(
    `${what}: ${JSON.stringify(`${text.slice(Math.max(0, start - 60), start)}[[${text.slice(start, end)}]]${text.slice(end, end + 20)}`)}\n`,
  );
}

function figure(part: number, whole: number): string {
  return whole === 0 ? '   –' : (part / whole).toFixed(3).padStart(5);
}

/** Names in texts of each language: with the language listed, and as by default. */
async function printLanguages(rows: readonly Labelled[]): Promise<void> {
  process.stdout.write('LANGUAGE  ENTITY      LABELS  P, R listed    P, R default\n');
  for (const [language = '', of] of Map.groupBy(rows, ({ language }) => language)) {
    const own = of.map(({ text }) => text);
    const listed = score(of, await ours(own, [language]));
    const byDefault = score(of, await ours(own));
    for (const entity of NAMES) {
      const { labelled = 0 } = listed.get(entity) ?? {};
      if (labelled === 0) continue;
      const figures = [listed, byDefault].map((counts) => {
        const { found = 0, right = 0 } = counts.get(entity) ?? {};
        return `${figure(right, found)} ${figure(right, labelled)}`;
      });
      process.stdout.write(
        `${language.padEnd(8)}  ${entity.padEnd(10)} ${String(labelled).padStart(7)}  ${figures.join('    ')}\n`,
      );
    }
  }
}

function print(name: string, counts: ReadonlyMap<string, Counts>, seconds: number): void {
  process.stdout.write(`${name.padEnd(20)}   LABELS  FOUND      P      R     F1  GOAL\n`);
  for (const [entity_type, { found, right, labelled }] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!(entity_type in GOALS) && found === 0) continue;
    const figures = [figure(right, found), figure(right, labelled), figure(2 * right, found + labelled)].map((text) =>
      text.padStart(6),
    );
    process.stdout.write(
      `${entity_type.padEnd(20)} ${String(labelled).padStart(8)} ${String(found).padStart(6)} ${figures.join(' ')}  ${GOALS[entity_type] ?? ''}\n`,
    );
  }
  const kilobytes = Buffer.byteLength(texts.join('')) / 1000;
  process.stdout.write(
    `${texts.length} texts, ${kilobytes.toFixed(0)} kB: ${(kilobytes / seconds).toFixed(0)} kB/s, ${((seconds * 1000) / texts.length).toFixed(2)} ms a text\n\n`,
  );
}

const all = labelledTexts(readFileSync(file, 'utf8'));
const texts = all.map(({ text }) => text);
if (all.some(({ language }) => language !== undefined)) {
  await printLanguages(all);
  process.exit();
}
const detectors = { 'guard pii': ours, ...(values.presidio && { Presidio: presidio }) };
for (const [name, detect] of Object.entries(detectors)) {
  const detected = await detect(texts);
  print(name, score(all, detected), detected.seconds);
}
