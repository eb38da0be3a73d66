import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { pythonPackages } from '../harness/python-packages.ts';
import type { Detected, Span } from './detected.ts';

const MODEL = join(import.meta.dirname, 'presidio-model.txt');
const INSTALLS = [
  ['presidio-analyzer==2.2.366', 'spacy==3.8.18'],
  // It contains only data, so the version of Python does not matter.
  ['--no-deps', '--require-hashes', '-r', MODEL],
];

/**
 * The findings of Presidio with its own recognisers and a spaCy model, in one thread.
 * @throws {Error} if it cannot be installed
 */
export async function presidio(texts: readonly string[]): Promise<Detected> {
  const bin = await pythonPackages('presidio-2.2.366', INSTALLS);
  const child = spawn(join(bin, 'python'), [join(import.meta.dirname, 'presidio.py')], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, OMP_NUM_THREADS: '1' },
  });
  const ended = once(child, 'exit');
  child.stdin.end(texts.map((text) => `${JSON.stringify(text)}\n`).join(''));
  const lines = (await textOf(child.stdout)).trimEnd().split('\n');
  const [code] = await ended;
  if (code !== 0) throw new Error(`presidio.py ended with ${code}`);
  const findings = lines.slice(0, -1).map((line, i) => inCodeUnits(texts[i] ?? '', JSON.parse(line)));
  return { findings, seconds: Number(lines.at(-1)) };
}

/** Python counts code points. */
function inCodeUnits(text: string, spans: readonly Span[]): Span[] {
  const characters = [...text];
  const offset = (count: number): number => characters.slice(0, count).join('').length;
  return spans.map((span) => ({ ...span, start: offset(span.start), end: offset(span.end) }));
}
