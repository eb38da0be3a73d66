import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownStart } from '@svc/toolkit/folder-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Child, nextMessage, startChild } from '../children/protocol.ts';
import { openStore, temporaryFolder } from '../test-store.ts';

let folder: string;
let remove: () => void;
const children: Child[] = [];

beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.process.kill('SIGKILL');
    await child.exit;
  }
  remove();
});

function startHolder(): Child {
  const child = startChild(new URL('../children/holder.ts', import.meta.url), [folder]);
  children.push(child);
  return child;
}

const lockFiles = () => readdirSync(folder).filter((file) => file.endsWith('.lock'));
const heldBy = (pid: number) => ({ code: 'HELD', message: expect.stringMatching(new RegExp(`\\b${pid}\\b`)) });

describe('a folder that another process has open', () => {
  test('is refused, with its pid, until that process is gone', async () => {
    const holder = startHolder();
    expect(await nextMessage(holder)).toEqual({ opened: true });
    await expect(openStore(folder)).rejects.toMatchObject(heldBy(holder.pid));
    await expect(openStore(folder)).rejects.toMatchObject(heldBy(holder.pid));
    expect(lockFiles()).toHaveLength(1);
    holder.process.kill('SIGKILL');
    await holder.exit;
    const store = await openStore(folder);
    expect(lockFiles()).toEqual([expect.stringContaining(`-${process.pid}-`)]);
    await store.close();
    expect(lockFiles()).toEqual([]);
  });

  test('is refused although its lock file was deleted, as from another container', async () => {
    const holder = startHolder();
    await nextMessage(holder);
    for (const file of lockFiles()) rmSync(join(folder, file));
    await expect(openStore(folder)).rejects.toMatchObject(heldBy(holder.pid));
    expect(lockFiles()).toEqual([]);
  });

  test('is opened by at most one of several processes that start at once', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => nextMessage(startHolder())));
    expect(answers.filter(({ opened }) => opened === true).length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ opened }) => opened === false).map(({ code }) => code)).toEqual(
      answers.filter(({ opened }) => opened === false).map(() => 'HELD'),
    );
  });
});

describe('a lock file', () => {
  test('of this process refuses a second store on the folder', async () => {
    const store = await openStore(folder);
    await expect(openStore(folder)).rejects.toMatchObject(heldBy(process.pid));
    await store.close();
    await (await openStore(folder)).close();
  });

  test('with the same name, left by a dead process, is taken over', async () => {
    writeFileSync(join(folder, `holder-${process.pid}-${ownStart()}.lock`), '');
    await (await openStore(folder)).close();
    expect(lockFiles()).toEqual([]);
  });

  test.runIf(process.platform === 'linux')('of a pid that was used again is taken over', async () => {
    writeFileSync(join(folder, `holder-${process.ppid}-00000000x1.lock`), '');
    await (await openStore(folder)).close();
    expect(lockFiles()).toEqual([]);
  });

  test('without a start time holds while a process with its pid runs', async () => {
    writeFileSync(join(folder, `holder-${process.ppid}-0.lock`), '');
    await expect(openStore(folder)).rejects.toMatchObject(heldBy(process.ppid));
  });

  test('does not remain after a failed start', async () => {
    writeFileSync(join(folder, 'data.mdb'), 'not a database');
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'OPEN' });
    expect(lockFiles()).toEqual([]);
  });
});
