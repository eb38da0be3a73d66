import { spawn } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkpointText, type Signer, signingKey, signNote } from '@svc/ledger';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { CheckpointPin } from './checkpoint-pin.ts';

const ORIGIN = 'example.org/gateway';
const SIGNER: Signer = { name: ORIGIN, key: signingKey(generateKeyPairSync('ed25519').privateKey) };
const rootOf = (size: number) => new Uint8Array(createHash('sha256').update(String(size)).digest());
const noteOf = (size: number): Promise<string> =>
  signNote(checkpointText({ origin: ORIGIN, size, root: rootOf(size) }), [SIGNER]);

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-guard-'));
  path = join(folder, 'guard.note');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

it('remembers the longest ledger, even if a shorter one follows', async () => {
  const [one, another] = [new CheckpointPin(path), new CheckpointPin(path)];
  expect(await one.read([SIGNER])).toBeNull();
  await one.remember(await noteOf(7));
  await another.remember(await noteOf(5));
  expect(await one.read([SIGNER])).toMatchObject({ size: 7 });
  // A note of the same size replaces the pinned one, because a different key may have signed it.
  const again = await noteOf(7);
  await another.remember(again);
  expect(readFileSync(path, 'utf8')).toBe(again);
  await one.remember(await noteOf(8));
  expect(await another.read([SIGNER])).toMatchObject({ size: 8, root: rootOf(8) });
});

it('several processes of one machine write at the same time without conflicts', async () => {
  const notes = await Promise.all(Array.from({ length: 50 }, (_, i) => noteOf(i + 1)));
  const remembering = `
    import { once } from 'node:events';
    import { CheckpointPin } from ${JSON.stringify(new URL('./checkpoint-pin.ts', import.meta.url).href)};
    const file = new CheckpointPin(${JSON.stringify(path)});
    process.stdout.write('ready');
    await once(process.stdin, 'data');
    for (const note of ${JSON.stringify(notes)}) await file.remember(note);
    process.exit(0);`;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--conditions=@svc/source', '--input-type=module', '-e', remembering]),
  );
  await Promise.all(children.map(({ stdout }) => once(stdout, 'data')));
  const ends = children.map((child) => once(child, 'exit'));
  for (const { stdin } of children) stdin.write('go');
  expect(await Promise.all(ends)).toEqual(children.map(() => [0, null]));
  expect(await new CheckpointPin(path).read([SIGNER])).toMatchObject({ size: 50 });
  expect(readdirSync(folder)).toEqual(['guard.note']);
});
