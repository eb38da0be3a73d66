import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { fillLedger } from './backlog.ts';

/** Whole pages of the largest size, each far from what fits beside the others into the heap. */
const PAGE = 10_000;
const READERS = 4;
const HEAP_MB = 64;
/** V8 keeps room in the heap for all of its young generation: a large one would end a gateway that holds little. */
const YOUNG_MB = 4;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-readers-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it(`${READERS} readers of ${PAGE} records each are served at once in a heap of ${HEAP_MB} MB`, { timeout: 120_000 }, async () => {
  await fillLedger(folder, PAGE + 5);
  const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB} --max-semi-space-size=${YOUNG_MB}` };
  const gateway = await TestGateway.start({ config: echoConfig(), args: ['--runs-db', folder], env });
  try {
    const path = `/v1/audit/ledger?limit=${PAGE}`;
    const pages = await Promise.all(Array.from({ length: READERS }, () => gateway.get(path)));
    for (const { status, body, headers } of pages) {
      expect(status).toBe(200);
      expect(body.records.map(({ seq }: { seq: number }) => seq)).toEqual(Array.from({ length: PAGE }, (_, n) => n + 1));
      expect(headers.get('link')).toContain(`cursor=${PAGE}`);
    }
    const rest = await gateway.get(`/v1/audit/ledger?limit=${PAGE}&since_seq=${PAGE}`);
    expect(rest.body.records[0].seq).toBe(PAGE + 1);
    expect(rest.headers.has('link')).toBe(false);
    expect((await gateway.get(`/v1/audit/ledger?limit=${PAGE}&since_seq=${PAGE * 9}`)).body).toEqual({ records: [] });
    expect((await gateway.chat('hello')).status).toBe(200);
  } finally {
    await gateway.dispose();
  }
});
