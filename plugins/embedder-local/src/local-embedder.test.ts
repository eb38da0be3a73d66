import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Turns } from '@svc/toolkit/work';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { LocalEmbedder } from './local-embedder.ts';
import { SAMPLES } from './samples.ts';
import { wordsOf } from './words.ts';

const NEVER = new AbortController().signal;
const PASSAGES = SAMPLES.map(({ passage }) => passage);

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-embedder-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function opened(folder: string | null): Promise<LocalEmbedder> {
  const embedder = new LocalEmbedder(1024);
  await embedder.open({ folder });
  return embedder;
}

async function one(embedder: LocalEmbedder, text: string, use: 'document' | 'query' = 'query'): Promise<Float32Array> {
  const [vector = new Float32Array()] = await embedder.embed([text], use, NEVER);
  return vector;
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0) / (Math.hypot(...a) * Math.hypot(...b));
}

it('finds the passage that shares words with a question', async () => {
  const embedder = await opened(temporaryFolder());
  const passages = await embedder.embed(PASSAGES, 'document', NEVER);
  const firsts = await Promise.all(
    SAMPLES.map(async ({ question }) => {
      const asked = await one(embedder, question);
      const scores = passages.map((passage) => cosine(asked, passage));
      return PASSAGES[scores.indexOf(Math.max(...scores))];
    }),
  );
  const right = firsts.filter((first, i) => first === PASSAGES[i]);
  expect(right.length).toBeGreaterThanOrEqual(10);
});

it('does not find synonyms: it is lexical, and says so', async () => {
  const embedder = await opened(null);
  const [car, same, other] = await Promise.all(['automobile', 'car', 'automobiles'].map((text) => one(embedder, text)));
  expect(Math.abs(cosine(car ?? new Float32Array(), same ?? new Float32Array()))).toBeLessThan(0.3);
  expect(cosine(car ?? new Float32Array(), other ?? new Float32Array())).toBeGreaterThan(0.5);
});

it('weighs a rare word of a question more than a common one, even after a restart', async () => {
  const folder = temporaryFolder();
  const first = await opened(folder);
  const common = Array.from({ length: 50 }, (_, n) => `the report of number${n}`);
  await first.embed([...common, 'the zebra'], 'document', NEVER);
  await first.close();
  const embedder = await opened(folder);
  const asked = await one(embedder, 'the zebra');
  const [the, zebra] = [await one(embedder, 'the', 'document'), await one(embedder, 'zebra', 'document')];
  expect(cosine(asked, zebra)).toBeGreaterThan(2 * cosine(asked, the));
});

it('ignores capitals, widths and ligatures', async () => {
  expect(await wordsOf('ＦＩＬＥ Ofﬁce', new Turns())).toEqual(await wordsOf('file office', new Turns()));
});

it('counts the words of any text without losing one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.stringMatching(/^[a-z0-9äöüéèñßø]{1,12}$/), { maxLength: 30 }), async (words) => {
      const counted = [...(await wordsOf(words.join(', '), new Turns()))].reduce((sum, [, count]) => sum + count, 0);
      expect(counted).toBe(words.length);
    }),
  );
});

it('a damaged file of counts is refused, with the remedy', async () => {
  const folder = temporaryFolder();
  await (await opened(folder)).embed(PASSAGES, 'document', NEVER);
  const path = join(folder, 'word-counts');
  const bytes = await readFile(path);
  bytes[1000] = (bytes[1000] ?? 0) ^ 1;
  await writeFile(path, bytes);
  await expect(opened(folder)).rejects.toMatchObject({
    name: 'StoreError',
    code: 'OPEN',
    message: expect.stringContaining(`${path} is damaged: restore a backup, or remove the file`),
  });
});

it.each([
  ['words', Array.from({ length: 100_000 }, (_, n) => n.toString(36)).join(' ')],
  ['one run without spaces', Array.from({ length: 300_000 }, (_, n) => String.fromCodePoint(0x4e00 + (n % 20_000))).join('')],
])('one long text of %s does not delay others', async (_what, text) => {
  const embedder = await opened(temporaryFolder());
  for (const use of ['document', 'query'] as const) {
    let turns = 0;
    const others = setInterval(() => {
      turns += 1;
    });
    const began = performance.now();
    await embedder.embed([text], use, NEVER);
    clearInterval(others);
    // Each turn has 5 ms. The tolerance is for a machine that is busy with other work.
    expect(turns).toBeGreaterThan((performance.now() - began) / 100);
  }
});
