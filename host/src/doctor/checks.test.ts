import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Store, StoreError } from '@svc/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runsDb } from '../config/runs-db.ts';
import { checkClock, readingOf } from './clock.ts';
import { checkDisk, measureDisk } from './disk.ts';
import { sizeText } from './finding.ts';
import { checkKeyFiles } from './key-files.ts';
import { checkMemory } from './memory.ts';
import { checkNode } from './node.ts';
import { checkRunsDb } from './runs-db.ts';

const MIB = 1_048_576;
const GIB = 1024 * MIB;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-doctor-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('node', () => {
  it('is the running one', () => expect(checkNode(process.versions.node).status).toBe('ok'));
  it('is refused if it is old', () =>
    expect(checkNode('22.18.0')).toMatchObject({ status: 'problem', remedy: expect.any(String) }));
  it('is refused if it confuses keys', () => expect(checkNode('26.12.0', () => ({}))).toMatchObject({ status: 'problem' }));
});

describe('memory', () => {
  const limits = { workers: 1, body_limit_bytes: 32 * MIB };
  it.each([
    ['the defaults on a large machine', limits, { memory: 16 * GIB, heap: 4 * GIB }, 'ok'],
    ['the defaults in a container of 2 GiB', limits, { memory: 2 * GIB, heap: GIB }, 'ok'],
    ['the defaults in a container of 1 GiB', limits, { memory: GIB, heap: GIB / 2 }, 'warning'],
    ['the defaults in a container of 512 MiB', limits, { memory: GIB / 2, heap: GIB / 4 }, 'problem'],
    [
      'smaller limits there',
      { workers: 1, body_limit_bytes: MIB, max_bytes_in_flight: 4 * MIB },
      { memory: GIB, heap: GIB / 2 },
      'ok',
    ],
    ['a bound above the memory', { ...limits, max_bytes_in_flight: 2 * GIB }, { memory: 16 * GIB, heap: 4 * GIB }, 'problem'],
    ['a bound above the heap', { ...limits, max_bytes_in_flight: 300 * MIB }, { memory: 64 * GIB, heap: 4 * GIB }, 'warning'],
    ['many workers', { ...limits, workers: 32 }, { memory: 16 * GIB, heap: 4 * GIB }, 'problem'],
  ] as const)('%s', (_, asked, machine, status) => {
    expect(checkMemory(asked, machine)).toMatchObject({
      status,
      remedy: status === 'ok' ? null : expect.stringContaining('max_bytes_in_flight'),
    });
  });
});

describe('disk', () => {
  const disk = { free_bytes: 100 * GIB, total_bytes: 200 * GIB, sync_ms: 1 };
  it.each([
    [{}, ['ok', 'ok']],
    [{ free_bytes: 900 * MIB }, ['warning', 'ok']],
    [{ free_bytes: 60 * MIB }, ['problem', 'ok']],
    [{ free_bytes: 40 * MIB, total_bytes: 100 * MIB }, ['warning', 'ok']],
    [{ free_bytes: 20 * MIB, total_bytes: 100 * MIB }, ['problem', 'ok']],
    [{ sync_ms: 30 }, ['ok', 'warning']],
  ])('%j', async (changes, expected) => {
    const findings = await checkDisk(folder, async () => ({ ...disk, ...changes }));
    expect(findings.map(({ status }) => status)).toEqual(expected);
  });

  it('is measured where the folder will be, and nothing is left behind', async () => {
    const measured = await measureDisk(join(folder, 'a', 'runs-db'));
    expect(measured.free_bytes).toBeGreaterThan(0);
    expect(measured.total_bytes).toBeGreaterThanOrEqual(measured.free_bytes);
    expect(measured.sync_ms).toBeGreaterThan(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that cannot be written is a problem with the code of the system', async () => {
    writeFileSync(join(folder, 'file'), '');
    expect(await checkDisk(join(folder, 'file'))).toMatchObject([
      { status: 'problem', message: expect.stringContaining('ENOTDIR') },
    ]);
  });
});

describe('runs-db', () => {
  const existing = () => {
    mkdirSync(join(folder, 'runs-db'));
    writeFileSync(join(folder, 'runs-db', 'data.mdb'), '');
    return runsDb(join(folder, 'runs-db'));
  };
  const store = (open: () => Promise<void>) => async () => ({ open, close: async () => undefined }) as unknown as Store;
  const failing = (error: Error) => store(() => Promise.reject(error));

  it('that does not exist is not opened', async () => {
    const db = runsDb(join(folder, 'runs-db'));
    expect(await checkRunsDb(db, () => Promise.reject(new Error('it was opened')))).toMatchObject({ status: 'ok' });
  });

  it('that can be read is fine', async () => {
    expect(
      await checkRunsDb(
        existing(),
        store(async () => undefined),
      ),
    ).toMatchObject({ status: 'ok' });
  });

  it('in use is fine, and names the process', async () => {
    const held = new StoreError('HELD', `${folder} is in use by process 4711: stop that process first`);
    expect(await checkRunsDb(existing(), failing(held))).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/process 4711: a gateway/),
    });
  });

  it.each(['DAMAGED', 'OPEN'] as const)('with %s is a problem', async (code) => {
    expect(await checkRunsDb(existing(), failing(new StoreError(code, 'no')))).toMatchObject({ status: 'problem' });
  });

  it('in a database is named without its password', async () => {
    const db = runsDb('postgres://svc:hunter2@db.internal/svc');
    const finding = await checkRunsDb(
      db,
      failing(new StoreError('UNREACHABLE', `cannot reach ${db.options.url} (ECONNREFUSED)`)),
    );
    expect(finding).toMatchObject({ status: 'problem', message: expect.stringContaining('ECONNREFUSED') });
    expect(JSON.stringify(finding)).not.toContain('hunter2');
  });
});

describe('key files', () => {
  const file = (mode: number, name = 'content.key') => {
    const path = join(folder, name);
    writeFileSync(path, 'secret text');
    chmodSync(path, mode);
    return path;
  };

  it.each([0o600, 0o400, 0o640, 0o440])('with the mode %o are fine', async (mode) => {
    expect(await checkKeyFiles([file(mode)], join(folder, 'content.key'))).toMatchObject([{ status: 'ok' }]);
  });

  it.each([0o644, 0o604, 0o602, 0o666])('with the mode %o are a problem, with the command that corrects it', async (mode) => {
    const path = file(mode);
    const findings = await checkKeyFiles([path, join(folder, 'missing.key')], path);
    expect(findings).toMatchObject([
      { status: 'problem', message: expect.stringContaining(path), remedy: expect.stringContaining(`chmod o-rwx ${path}`) },
    ]);
    expect(JSON.stringify(findings)).not.toContain('secret text');
  });

  it('in a folder that is missing are a problem', async () => {
    expect(await checkKeyFiles([], join(folder, 'none', 'content.key'))).toMatchObject([{ status: 'problem' }]);
  });

  it('need no folder if the configuration has the keys', async () => {
    const path = join(folder, 'none', 'content.key');
    expect(await checkKeyFiles([path], null)).toMatchObject([{ status: 'ok', message: expect.stringContaining('not needed') }]);
  });
});

describe('clock', () => {
  it.each([
    [[], 'ok'],
    [[0], 'ok'],
    [[-4_000], 'ok'],
    [[12_000], 'warning'],
    [[-12_000], 'warning'],
    [[90_000], 'problem'],
    [[-3_600_000], 'problem'],
    // One of the other clocks is wrong.
    [[0, 100, 3_600_000], 'ok'],
    [[3_600_000, 3_600_100, 0], 'problem'],
  ])('%j ms ahead of others: %s', (ahead, status) => {
    expect(checkClock(ahead.map((ahead_ms) => ({ server: 's', ahead_ms }))).status).toBe(status);
  });

  it('is read from the header Date, which has whole seconds', () => {
    const there = Date.parse('2026-01-02T03:04:05Z');
    const date = new Date(there).toUTCString();
    expect(readingOf('s', date, there + 400, there + 600)?.ahead_ms).toBe(0);
    expect(readingOf('s', date, there + 60_400, there + 60_600)?.ahead_ms).toBe(60_000);
    expect(readingOf('s', null, 0, 0)).toBeNull();
    expect(readingOf('s', 'yesterday', 0, 0)).toBeNull();
  });
});

it.each([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1536, '1.5 KiB'],
  [32 * MIB, '32 MiB'],
  [4 * 1024 * GIB, '4.0 TiB'],
])('%d bytes are %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));
