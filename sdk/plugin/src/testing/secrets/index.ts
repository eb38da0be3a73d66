import { type SecretFailure, type SecretsBackend, secretFailureOf } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { explained } from '../cases/explained.ts';

/** A backend under test, and the store that it reads. */
export interface SecretsFixture {
  /** Creates a new instance, as a reload does. */
  make(): SecretsBackend;
  /** Writes a secret to the store. */
  write(path: string, key: string, value: string): Promise<void>;
  /** Ends the backend's session, as an expired lease does. Null: the backend has none. */
  readonly expireSession: (() => Promise<void>) | null;
  /** Makes the store unreachable. Called at the end of a case. */
  stop(): Promise<void>;
  /** Called once, whatever happened before. */
  dispose(): Promise<void>;
}

export interface SecretsConformanceOptions {
  /** Called once per case. */
  open(): Promise<SecretsFixture>;
  /** Between the parts of a name, for a store without folders, such as `-`. Default: `/`. */
  readonly separator?: string;
}

interface Subject {
  readonly backend: SecretsBackend;
  readonly fixture: SecretsFixture;
  readonly separator: string;
  /** Of a secret. */
  readonly path: string;
}

const NEVER = new AbortController().signal;
const VALUES = ['sk-1234', 'two\nlines', 'é😀"\\', ' spaces ', 'x'.repeat(10_000)];

async function readValue(backend: SecretsBackend, path: string, key: string): Promise<string> {
  const answer = await backend.resolve(path, key, NEVER);
  return typeof answer === 'string' ? answer : answer.value;
}

async function failureOf(asked: Promise<unknown>): Promise<SecretFailure | null> {
  try {
    await asked;
  } catch (error) {
    return secretFailureOf(error);
  }
  return null;
}

const CASES: Readonly<Record<string, (subject: Subject) => Promise<void>>> = {
  'returns a value as it was written': async ({ backend, fixture, path }) => {
    for (const value of VALUES) {
      await fixture.write(path, 'api_key', value);
      assert.ok((await readValue(backend, path, 'api_key')) === value, 'the written value', 'another one');
    }
  },

  'returns the newer value when it is asked again': async ({ backend, fixture, path }) => {
    await fixture.write(path, 'api_key', 'older');
    assert.equal(await readValue(backend, path, 'api_key'), 'older');
    await fixture.write(path, 'api_key', 'newer');
    assert.equal(await readValue(backend, path, 'api_key'), 'newer');
  },

  'asks for a refresh after a second at the earliest': async ({ backend, fixture, path }) => {
    await fixture.write(path, 'api_key', 'value');
    const answer = await backend.resolve(path, 'api_key', NEVER);
    if (typeof answer === 'string') return;
    assert.ok(
      Number.isSafeInteger(answer.refresh_after_ms) && answer.refresh_after_ms >= 1_000,
      'at least 1000',
      answer.refresh_after_ms,
    );
  },

  'answers several calls at once': async ({ backend, fixture, separator, path }) => {
    const keys = Array.from({ length: 20 }, (_, n) => `key-${n}`);
    for (const key of keys) await fixture.write(`${path}${separator}${key}`, key, `value of ${key}`);
    const values = await Promise.all(keys.map((key) => readValue(backend, `${path}${separator}${key}`, key)));
    assert.deepEqual(
      values,
      keys.map((key) => `value of ${key}`),
    );
  },

  'reports an unknown path and an unknown key as not_found': async ({ backend, fixture, separator, path }) => {
    await fixture.write(path, 'api_key', 'value');
    assert.equal(await failureOf(backend.resolve(`apps${separator}nobody`, 'api_key', NEVER)), 'not_found');
    for (const key of ['other', 'constructor', '__proto__'])
      assert.equal(await failureOf(backend.resolve(path, key, NEVER)), 'not_found');
  },

  'refuses paths that leave their place': async ({ backend, fixture, path }) => {
    await fixture.write(path, 'api_key', 'value');
    for (const other of [`apps/../${path}`, `./${path}`, `apps//model-provider`, `${path}?version=1`, `${path}%00`, '..'])
      assert.equal(await failureOf(backend.resolve(other, 'api_key', NEVER)), 'not_found', other);
  },

  'begins a new session when its session has ended': async ({ backend, fixture, path }) => {
    if (fixture.expireSession === null) return;
    await fixture.write(path, 'api_key', 'value');
    await readValue(backend, path, 'api_key');
    await fixture.expireSession();
    assert.equal(await readValue(backend, path, 'api_key'), 'value');
  },

  'rejects a call whose signal is aborted': async ({ backend, path }) => {
    const off = new AbortController();
    off.abort();
    await assert.rejects(backend.resolve(path, 'api_key', off.signal));
  },

  'reports a store that cannot be reached as unavailable': async ({ backend, fixture, path }) => {
    await fixture.stop();
    assert.equal(await failureOf(backend.resolve(path, 'api_key', NEVER)), 'unavailable');
  },

  'works after another instance was closed': async ({ backend, fixture, path }) => {
    await fixture.write(path, 'api_key', 'value');
    await readValue(backend, path, 'api_key');
    await backend.close?.();
    const next = fixture.make();
    assert.equal(await readValue(next, path, 'api_key'), 'value');
    await next.close?.();
  },
};

/** Checks for every backend of secrets. */
export function secretsConformance({ open, separator = '/' }: SecretsConformanceOptions): ConformanceCase[] {
  return explained(
    Object.entries(CASES).map(([name, run]) => ({
      name,
      run: async () => {
        const fixture = await open();
        const backend = fixture.make();
        try {
          await run({ backend, fixture, separator, path: `apps${separator}model-provider` });
        } finally {
          await backend.close?.();
          await fixture.dispose();
        }
      },
    })),
  );
}
