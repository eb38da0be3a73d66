import type { RunRow } from '@svc/contracts';
import { newRunId } from '@svc/kernel/admission';
import { expect, it } from 'vitest';
import { KeyTree } from '../../content/key-tree.ts';
import { ANSWER_CONTENT } from '../../content/run-content.ts';
import { ContentVault, KEY_CONTENT } from '../../content/vault.ts';
import { handClock } from '../../test-parts.ts';
import { SharedStore } from '../test-store.ts';
import { type Eraser, erase } from './erase.ts';
import { rewrap } from './rewrap.ts';
import { testEnv } from './test-env.ts';

const EVE: Eraser = {
  principal_id: 'eve',
  scope: 'decidable',
  actor: { principal_id: 'eve', issuer: null, subject: null },
  reason: null,
};
const silent = () => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };

/** A store that does something else after it was read. */
class Interrupted extends SharedStore {
  after: { read: 'run' | 'key'; act: () => Promise<unknown> } | null = null;

  async #now(read: 'run' | 'key'): Promise<void> {
    if (this.after?.read !== read) return;
    const { act } = this.after;
    this.after = null;
    await act();
  }

  override async run(run_id: string): Promise<RunRow | null> {
    const row = await super.run(run_id);
    await this.#now('run');
    return row;
  }

  override async content(run_id: string, name: string): Promise<Uint8Array | null> {
    const found = await super.content(run_id, name);
    if (name === KEY_CONTENT) await this.#now('key');
    return found;
  }
}

/** An ended run whose content is encrypted under a key that was replaced later. */
async function scene() {
  const clock = handClock();
  const [older, newest] = [KeyTree.generate(), KeyTree.generate()];
  const store = new Interrupted();
  const run_id = newRunId(clock.now());
  const before = new ContentVault(store, { newest: older, older: [], forget: null });
  const bytes = Buffer.from('the answer');
  const run: RunRow = {
    run_id,
    route: 'default',
    principal_id: 'alice',
    status: 'completed',
    approvers: [],
    events: [],
    config_digest: 'config',
    created_at: new Date(clock.now()).toISOString(),
    expires_at: null,
    approver: null,
    owner: 'one',
    version: 1,
    evidence: null,
  };
  const put_content = before.seal({ run_id, contentKey: null }, [{ name: ANSWER_CONTENT, bytes, expires_at: null }]);
  await store.commit([{ run, expect: null, put_content, drop_content: [], settlements: [] }], []);
  const env = testEnv(store, { clock, logger, content_keys: { newest, older: [older], forget: null } });
  const eraseIt = () => erase(run_id, EVE, env, (_, work) => work());
  return { store, vault: env.content, env, run_id, eraseIt };
}

it('encrypts the key of a run with the newest content key', async () => {
  const { vault, env, run_id } = await scene();
  expect(await rewrap(env)).toEqual({ runs: 1, left: 0 });
  expect(await vault.rewrapped(run_id)).toBeNull();
  expect(String((await vault.read(run_id, ANSWER_CONTENT))?.bytes)).toBe('the answer');
  expect(await rewrap(env)).toEqual({ runs: 0, left: 0 });
});

it.each(['run', 'key'] as const)('a run that is erased after its %s was read stays erased', async (read) => {
  const { store, env, run_id, eraseIt } = await scene();
  store.after = { read, act: eraseIt };
  await rewrap(env);
  expect(await store.content(run_id, KEY_CONTENT)).toBeNull();
  expect(await store.runsWithContent('')).toEqual([]);
});

it('a run that is erased between the two reads of its key stays erased', async () => {
  const { store, env, run_id, eraseIt } = await scene();
  store.after = {
    read: 'run',
    act: async () => {
      store.after = { read: 'key', act: eraseIt };
    },
  };
  await rewrap(env);
  expect(await store.content(run_id, KEY_CONTENT)).toBeNull();
});
