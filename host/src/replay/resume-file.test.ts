import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Asked, ResumeFile } from './resume-file.ts';
import { act, replayed } from './test-replayed.ts';
import { Totals } from './totals.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-resume-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ASKED: Asked = { digest: 'sha256:1', runs_db: '/runs-db', first_record: 'sha256:3', since: '7d', until: null, route: null };
const PERIOD = { from: '2026-11-18T00:00:00.000Z', to: '2026-11-22T00:00:00.000Z', route: null };
const file = (asked: Partial<Asked> = {}) => new ResumeFile(join(folder, 'state.json'), { ...ASKED, ...asked });

it('keeps the state for the same replay, readable by its owner only', async () => {
  expect(await file().read()).toBeNull();
  const totals = new Totals();
  totals.add(replayed({ after: { blocked: act('a') }, session: 's' }));
  await file().write({ period: PERIOD, cursor: 'c', totals });
  expect(await file().read()).toEqual({ period: PERIOD, cursor: 'c', totals });
  expect((await stat(join(folder, 'state.json'))).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['state.json']);
  await file().remove();
  expect(await readdir(folder)).toEqual([]);
});

it.each<Partial<Asked>>([
  { digest: 'sha256:2' },
  { runs_db: '/other' },
  { first_record: null },
  { since: '8d' },
  { until: 'now' },
  { route: 'r' },
])('refuses to continue another replay: %j', async (other) => {
  await file().write({ period: PERIOD, cursor: null, totals: new Totals() });
  await expect(file(other).read()).rejects.toThrow('state.json');
});

it.each(['', '{', '{}', '[]'])('refuses a file with %j', async (text) => {
  await writeFile(join(folder, 'state.json'), text);
  await expect(file().read()).rejects.toThrow('delete it');
});
