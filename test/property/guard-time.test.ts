import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LONG, pick, SEED } from '../fault/form.ts';
import { EVERYDAY_TEXTS } from '../harness/everyday-texts.ts';
import { contextHere, makeOwnGuard, OWN_GUARDS, segmentOf } from '../harness/own-guards.ts';
import type { Constructed } from '../harness/regexp/constructed.ts';
import { exampleOf } from '../harness/regexp/example.ts';
import { writtenIn } from '../harness/regexp/sources.ts';

/** The law: processor time for so many code units of a whole text, and for twice as many of any. */
const LENGTH = 8_000;
const MOST_MS = 50;
const MOST_TIMES = 2.5;
/** Under these milliseconds of the shorter text the clock, the compiler and the collector of garbage decide. */
const LEAST_MS = 10;
const RUNS = 2;
/** So often is what seems too slow measured again: a machine may be busy for a while. */
const ROUNDS = 12;
/** Characters of a stream that come at once: a token. */
const PIECE = 5;
/** For a stream of 1,600 pieces, each of which has its small cost: some 50 ms, and three times that beside other tests. What is not linear takes more. */
const MOST_IN_PIECES_MS = 300;

const GUARDS = Object.keys(OWN_GUARDS);
/** Without `pii`: with all entities it looks for the same ones, and more. */
const STREAMING = GUARDS.filter((name) => name !== 'pii' && makeOwnGuard(name).stream !== undefined);

type Work = (text: string) => Promise<unknown>;

function whole(name: string): Work {
  const guard = makeOwnGuard(name);
  const stage = guard.stages.includes('ingress') ? 'ingress' : 'egress';
  return async (text) => guard.check([segmentOf(stage, text)], contextHere(stage));
}

function inPieces(name: string): Work {
  const guard = makeOwnGuard(name);
  return async (text) => {
    const stream = guard.stream?.open(contextHere('egress'));
    const channel = { choice: 0, path: 'content' };
    for (let at = 0; at < text.length; at += PIECE) await stream?.push({ ...channel, text: text.slice(at, at + PIECE) });
    await stream?.end(channel);
    await stream?.finish();
  };
}

const filled = (piece: string, length: number): string =>
  piece
    .repeat(Math.ceil(length / piece.length))
    .slice(0, length)
    .toWellFormed();

/** Of all threads of this process; the least of several runs. One that is `enough` is the last. */
async function milliseconds(work: Work, text: string, enough: number): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < RUNS && least > enough; run += 1) {
    const began = process.cpuUsage();
    await work(text);
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** What a text costs beyond the law; null where it keeps it. */
async function excess(work: Work, piece: string, most: number): Promise<string | null> {
  const [short, long] = [filled(piece, LENGTH), filled(piece, 2 * LENGTH)];
  let [once, twice] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round += 1) {
    twice = Math.min(twice, await milliseconds(work, long, LEAST_MS * MOST_TIMES));
    if (twice <= LEAST_MS * MOST_TIMES) return null;
    once = Math.min(once, await milliseconds(work, short, LEAST_MS));
    if (once <= most && twice <= Math.max(once, LEAST_MS) * MOST_TIMES) return null;
  }
  return `${once.toFixed(1)} ms, and ${twice.toFixed(1)} ms for twice as much`;
}

async function tooDear(
  work: Work,
  pieces: readonly (readonly [name: string, piece: string])[],
  most = MOST_MS,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, piece] of pieces) {
    const why = piece === '' ? null : await excess(work, piece, most);
    if (why !== null) wrong.push(`${name}: ${why}`);
  }
  return wrong;
}

/** Beginnings of what the guards' own patterns match: all but the end, and half of it. */
const OWN_PREFIXES = ownPrefixes();

function ownPrefixes(): ReadonlyMap<string, readonly (readonly [string, string])[]> {
  const folders = ['injection', 'pii', 'secrets', 'rules', 'schema', 'rag'].map((name) => `plugins/guard-${name}/src`);
  const script = join(import.meta.dirname, '..', 'harness', 'regexp', 'constructed.ts');
  const made: Constructed[] = JSON.parse(
    execFileSync(process.execPath, ['--conditions=@svc/source', script, ...folders], {
      encoding: 'utf8',
      maxBuffer: 100_000_000,
    }),
  );
  // There are hundreds of plans of phone numbers, all of the same form.
  const constructed = made.filter(({ file, source }) => !file.endsWith('phone-plans.ts') || source.length % 40 === 0);
  const patterns = [
    ...writtenIn(folders).flatMap(({ file, pattern }) => (pattern === null ? [] : [{ file, pattern }])),
    ...constructed.map(({ file, source, flags }) => ({ file, pattern: new RegExp(source, flags) })),
  ];
  const byGuard = Map.groupBy(patterns, ({ file }) => file.split('/')[1] ?? '');
  return new Map(
    [...byGuard].map(([guard, own]) => {
      const examples = new Set(own.map(({ pattern }, n) => exampleOf(pattern, n)));
      const pieces = [...examples].flatMap((text) => [text.slice(0, -1), `${text.slice(0, text.length / 2)} `]);
      return [guard, [...new Set(pieces)].map((piece) => [JSON.stringify(piece), piece] as const)];
    }),
  );
}

describe(`${LENGTH} code units take at most ${MOST_MS} ms, and twice as many ${MOST_TIMES} times as long`, () => {
  const everyday = Object.entries(EVERYDAY_TEXTS);
  // A stream of pieces takes far longer than a whole text. The short form takes a third of the texts: another seed takes other ones.
  const streamed = everyday.filter((_, n) => LONG || n % 3 === pick('streamed', 3));

  test.each(GUARDS)('for %s, of texts that people and agents send', { timeout: 600_000 }, async (name) => {
    expect(await tooDear(whole(name), everyday)).toEqual([]);
  });

  test.each(GUARDS)('for %s, on beginnings of its own patterns', { timeout: 600_000 }, async (name) => {
    const [guard = ''] = name.split(',');
    expect(await tooDear(whole(name), OWN_PREFIXES.get(`guard-${guard}`) ?? [])).toEqual([]);
  });

  test.each(STREAMING)('for %s, of an answer that arrives in pieces', { timeout: 600_000 }, async (name) => {
    expect(await tooDear(inPieces(name), streamed, MOST_IN_PIECES_MS), `SVC_FAULT_SEED=${SEED}`).toEqual([]);
  });
});
