import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { newHost } from '../compose/host.ts';
import { GUARD_POOL } from '../compose/tokens.ts';
import { CliError } from '../errors/cli-error.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { printable } from '../terminal/terminal.ts';
import { type Example, exampleOf, type Found } from '../try/example.ts';
import { exampleJson, summaryJson } from '../try/json-report.ts';
import { HtmlReport } from '../try/page/html-report.ts';
import { Tally } from '../try/tally.ts';
import { openPacks, type TriedPacks } from '../try/tried-packs.ts';
import { type Result, tryExample } from '../try/try-example.ts';
import { readArguments } from './arguments.ts';
import { Progress } from './progress.ts';
import { examplesOf, filesIn, linesOf } from './try-files.ts';
import { exampleLines, summaryLines } from './try-lines.ts';

const MAX_PATHS = 1_000;

/**
 * `svc try [PATH].. [--config F] [--pack NAME].. [--threshold PACK=T,T..].. [--show-text] [--html FILE] [--json]`: shows what the guards of a configuration
 * find in examples, where, how sure they are and how long it takes. Without a path it reads JSON lines from standard input. No model is called and
 * nothing is recorded. An example that cannot be read is reported by its place, and the others are tried; the exit code is then 1.
 */
export async function tryGuards(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(
    args,
    {
      config: { type: 'string' },
      pack: { type: 'string', multiple: true, default: [] },
      threshold: { type: 'string', multiple: true, default: [] },
      'show-text': { type: 'boolean', default: false },
      html: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
    [],
    new Array(MAX_PATHS).fill('PATH'),
  );
  const thresholds = new Map(values.threshold.map(readThresholds));
  const files = await filesIn(positionals);
  const host = newHost(silentLogger);
  const pool = host.resolve(GUARD_POOL);
  const packs = await openPacks({ config: values.config, packs: values.pack, thresholds }, host).catch(async (error: unknown) => {
    await pool.close();
    throw error;
  });
  try {
    const report = { json: values.json, showText: values['show-text'], html: values.html };
    await tryAll(files, packs, report, async (example) => {
      const results: (Result | null)[] = [];
      // One after another, because the time of each is measured.
      for (const pack of packs.packs) results.push(await tryExample(example, pack, pool));
      return results;
    });
  } finally {
    await packs.close();
    await pool.close();
  }
}

interface ReportOptions {
  readonly json: boolean;
  readonly showText: boolean;
  /** File for the page. */
  readonly html: string | undefined;
}

type Files = Awaited<ReturnType<typeof filesIn>>;

async function tryAll(
  files: Files,
  packs: TriedPacks,
  { json, showText, html }: ReportOptions,
  ask: (example: Example) => Promise<readonly (Result | null)[]>,
): Promise<void> {
  const tally = new Tally(packs.packs);
  const page = html === undefined ? null : new HtmlReport(showText);
  const total = files.length === 0 ? null : ({ of: 'bytes', count: files.reduce((sum, { bytes }) => sum + bytes, 0) } as const);
  const progress = new Progress(process.stderr, 'texts', total);
  for await (const found of foundIn(files)) {
    const example = exampleOf(found, packs.protocols);
    progress.advance(1, found.bytes);
    if (typeof example === 'string') {
      tally.unreadable += 1;
      progress.end();
      process.stderr.write(`${printable(found.source)}: ${example}\n`);
      continue;
    }
    const results = await ask(example);
    tally.add(results);
    page?.add(example, results);
    const lines = json ? [exampleJson(example, results, showText)] : exampleLines(example, results, showText);
    if (lines.length > 0) progress.end();
    await print(lines);
  }
  progress.end();
  await print(json ? [summaryJson(tally, packs.others)] : ['', ...summaryLines(tally, packs.others)]);
  if (html !== undefined && page !== null) await writePage(html, await page.html(tally, packs), showText);
  if (tally.unreadable > 0 || tally.failed > 0) process.exitCode = 1;
}

/** With the texts that were found, the page is for its owner only. */
async function writePage(path: string, page: string, showText: boolean): Promise<void> {
  const file = await open(path, 'w');
  try {
    if (showText) await file.chmod(0o600);
    await file.writeFile(page);
  } finally {
    await file.close();
  }
}

async function* foundIn(files: Files): AsyncGenerator<Found> {
  if (files.length === 0) yield* linesOf('line', process.stdin.setEncoding('utf8'));
  else for (const file of files) yield* examplesOf(file);
}

async function print(lines: readonly string[]): Promise<void> {
  if (lines.length > 0 && !process.stdout.write(`${lines.join('\n')}\n`)) await once(process.stdout, 'drain');
}

/** `pii=0.3,0.5` */
function readThresholds(text: string): readonly [pack: string, thresholds: readonly number[]] {
  const [, pack = '', list = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  const numbers = list.split(',').map((number) => (/^(?:0|1|0?\.\d{1,6}|1\.0{1,6})$/.test(number) ? Number(number) : Number.NaN));
  if (pack === '' || numbers.some(Number.isNaN))
    throw new CliError(`--threshold ${text} is not of the form PACK=0.3,0.5 with numbers from 0 to 1`, 2);
  return [pack, [...new Set(numbers)].toSorted((a, b) => a - b)];
}
