import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyTree, leafPlace, placeAbove } from '@svc/runtime/content';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { eraseRuns } from '../../host/src/commands/runs-erase.ts';
import { readContentKey } from '../../host/src/key-storage/key-file.ts';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { LONG, pick, SEED } from './form.ts';

/**
 * Loaded before the program: ends the process, as kill -9 does, before its nth call that reads the key file or changes a file of the key. A kill
 * before any other call leaves the same files.
 */
const KILLER = `
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
let left = Number(process.env.KILL_AT);
const step = () => { left -= 1; if (left === 0) process.kill(process.pid, 'SIGKILL'); };
const about = (path) => String(path).includes('content.key');
for (const name of ['open', 'readFile', 'writeFile', 'link', 'rename', 'rm', 'mkdir']) {
  const real = fs[name];
  fs[name] = async (...args) => {
    if (about(args[0]) && !(name === 'open' && args[1].startsWith('r'))) step();
    const result = await real(...args);
    if (name === 'open' && about(args[0])) {
      for (const method of ['writeFile', 'write', 'chmod']) {
        const bound = result[method].bind(result);
        result[method] = (...given) => { step(); return bound(...given); };
      }
    }
    return result;
  };
}
syncBuiltinESMExports();
`;

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await TestGateway.start({ here: true, config: echoConfig() });
});
afterEach(() => gateway.dispose());

const at = (name: string): string => join(gateway.folder, name);

const command = (run_id: string): string[] => [run_id, '--runs-db', at('runs-db'), '--config', at('svc.yaml'), '--json'];

/** Erases in a process that is killed before this step. Returns whether it took so many steps. */
function eraseUntil(step: number, run_id: string): boolean {
  const { signal } = spawnSync(process.execPath, [MAIN, 'runs', 'erase', ...command(run_id)], {
    env: { ...process.env, NODE_OPTIONS: `--import=${at('killer.mjs')}`, KILL_AT: String(step) },
  });
  return signal === 'SIGKILL';
}

/** Erases in this process, which saves a start, and returns what the command writes. */
async function erase(run_id: string): Promise<string> {
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await eraseRuns(command(run_id));
    return stdout.mock.calls.map(([written]) => String(written)).join('');
  } finally {
    stdout.mockRestore();
  }
}

/** What was erased before: nothing, a run whose part of the key is another's too, or by a release that had no parts. */
const BEFORE: Record<string, (run_id: string) => Promise<void>> = {
  nothing: async () => undefined,
  'a neighbour': async (run_id) => (await readContentKey(at('content.key'))).forget([neighbourOf(run_id)]),
  'by an earlier release': async (run_id) => {
    const key = KeyTree.parse(JSON.parse(await readFile(at('content.key'), 'utf8')).key);
    await writeFile(at('content.key'), JSON.stringify({ key: String(key?.without(neighbourOf(run_id), 'another')) }));
  },
};

function neighbourOf(run_id: string): string {
  const part = (leaf: string): bigint => placeAbove(leafPlace(leaf), 12).bits;
  for (let n = 0; ; n += 1) if (part(`neighbour ${n}`) === part(run_id)) return `neighbour ${n}`;
}

/** All that an erasure changes. */
const NAMES = ['runs-db', 'content.key', 'content.key.parts'];

async function copy(from: string, to: string): Promise<void> {
  for (const name of NAMES) {
    await rm(at(`${name}${to}`), { recursive: true, force: true });
    if (existsSync(at(`${name}${from}`))) await cp(at(`${name}${from}`), at(`${name}${to}`), { recursive: true });
  }
}

it.each(Object.keys(BEFORE))(
  'an erasure that is killed at any step, after %s, completes when repeated; other runs are unaffected, and nothing of the key remains',
  async (what) => {
    const ask = { messages: [{ role: 'user', content: 'a wire transfer' }] };
    const paused = async (): Promise<string> => (await gateway.post('/v1/runs', ask)).body.run_id;
    const [run_id, other] = [await paused(), await paused()];
    await gateway.stop();
    await BEFORE[what]?.(run_id);
    await writeFile(at('killer.mjs'), KILLER);
    await copy('', '.before');
    const before = await readdir(gateway.folder);
    // The short form takes every fourth or sixth step: another seed takes other ones.
    const stride = LONG ? 1 : what === 'nothing' ? 4 : 6;
    let step = 1 - stride + pick(what, stride);
    for (let killed = true; killed; ) {
      step += stride;
      await copy('.before', '');
      killed = eraseUntil(step, run_id);
      expect(JSON.parse(await erase(run_id)), `step ${step}, SVC_FAULT_SEED=${SEED}`).toEqual({
        run_id,
        status: 'denied',
        backups_unreadable: true,
      });
      expect(new Set(await readdir(gateway.folder)), `step ${step}`).toEqual(new Set([...before, 'content.key.parts']));
      expect((await readdir(at('content.key.parts'), { recursive: true })).filter((name) => name.endsWith('.new'))).toEqual([]);
      const key = await readContentKey(at('content.key'));
      expect(key.keyFor(run_id)).toBeNull();
      expect(key.keyFor(other)).not.toBeNull();
      if (what !== 'nothing') expect(key.keyFor(neighbourOf(run_id))).toBeNull();
    }
    // Reading at the start, and then each of: its place, a name beside, rights, writing, putting in place, wiping.
    expect(step).toBeGreaterThan(10);
    await gateway.launch();
    expect((await gateway.ledger()).filter((record) => record.run_id === run_id)).toHaveLength(1);
    const { body } = await gateway.post(`/v1/runs/${other}/resume`, { decision: 'approved' }, 'bob');
    expect(body).toMatchObject({ status: 'completed' });
  },
  360_000,
);
