import { createPublicKey, verify } from 'node:crypto';
import { type SecretFailure, type SigningBackend, type SigningKey, secretFailureOf } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { explained } from '../cases/explained.ts';

/** A backend under test, and the token or service with its keys. */
export interface SigningFixture {
  /** Creates a new instance, as a reload does. */
  make(): SigningBackend;
  /** The path of the references. */
  readonly path: string;
  /** Creates an Ed25519 key, in place of the one with this name. */
  create(key: string): Promise<void>;
  /** Makes the keys unreachable. */
  stop(): Promise<void>;
  /** Makes them reachable again. */
  start(): Promise<void>;
  /** Called once, whatever happened before. */
  dispose(): Promise<void>;
}

export interface SigningConformanceOptions {
  /** Called once per case. */
  open(): Promise<SigningFixture>;
}

interface Subject {
  readonly backend: SigningBackend;
  readonly fixture: SigningFixture;
}

const NEVER = new AbortController().signal;
const MESSAGES = ['x', 'example.org/gateway\n17\nAAAA\n', 'é😀\n', 'x'.repeat(4_096)].map((text) => Buffer.from(text));

function isValid({ public_key }: SigningKey, message: Uint8Array, signature: Uint8Array): boolean {
  const x = Buffer.from(public_key).toString('base64url');
  return verify(null, message, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), signature);
}

async function assertSigns(key: SigningKey, messages: readonly Uint8Array[] = MESSAGES): Promise<void> {
  for (const message of messages) {
    const signature = await key.sign(message, NEVER);
    assert.ok(isValid(key, message, signature), `a signature of ${message.length} bytes that is valid`, 'another one');
  }
}

async function failureOf(asked: Promise<unknown>): Promise<SecretFailure | null> {
  try {
    await asked;
  } catch (error) {
    return secretFailureOf(error);
  }
  return null;
}

function hexOf({ public_key }: SigningKey): string {
  return Buffer.from(public_key).toString('hex');
}

const CASES: Readonly<Record<string, (subject: Subject) => Promise<void>>> = {
  'signs with the key whose public part it returns': async ({ backend, fixture }) => {
    for (const name of ['one', 'two']) await fixture.create(name);
    const keys = await Promise.all(['one', 'two'].map((name) => backend.signingKey(fixture.path, name, NEVER)));
    for (const key of keys) {
      assert.equal(key.public_key.length, 32);
      await assertSigns(key);
    }
    assert.equal(new Set(keys.map(hexOf)).size, 2);
    assert.equal(keys[0] && hexOf(await backend.signingKey(fixture.path, 'one', NEVER)), keys[0] && hexOf(keys[0]));
  },

  'asks for a refresh after a second at the earliest': async ({ backend, fixture }) => {
    await fixture.create('one');
    const { refresh_after_ms } = await backend.signingKey(fixture.path, 'one', NEVER);
    assert.ok(Number.isSafeInteger(refresh_after_ms) && refresh_after_ms >= 1_000, 'at least 1000', refresh_after_ms);
  },

  'makes several signatures at once': async ({ backend, fixture }) => {
    await fixture.create('one');
    const key = await backend.signingKey(fixture.path, 'one', NEVER);
    const messages = Array.from({ length: 20 }, (_, n) => Buffer.from(`message ${n}`));
    const signatures = await Promise.all(messages.map((message) => key.sign(message, NEVER)));
    for (const [n, signature] of signatures.entries())
      assert.ok(isValid(key, messages[n] ?? Buffer.alloc(0), signature), 'its own signature', `another one for message ${n}`);
  },

  'returns the key that replaced another one, and makes no signature with it for the earlier one': async ({
    backend,
    fixture,
  }) => {
    await fixture.create('one');
    const before = await backend.signingKey(fixture.path, 'one', NEVER);
    await assertSigns(before);
    await fixture.create('one');
    const after = await backend.signingKey(fixture.path, 'one', NEVER);
    assert.ok(hexOf(after) !== hexOf(before), 'another key', 'the same');
    await assertSigns(after);
    const [message = Buffer.alloc(0)] = MESSAGES;
    const signature = await before.sign(message, NEVER).catch(() => null);
    assert.ok(
      signature === null || isValid(before, message, signature),
      'no signature, or one of the earlier key',
      'another one',
    );
  },

  'reports an unknown path and an unknown key as not_found': async ({ backend, fixture }) => {
    await fixture.create('one');
    assert.equal(await failureOf(backend.signingKey(fixture.path, 'nobody', NEVER)), 'not_found');
    assert.equal(await failureOf(backend.signingKey('nobody', 'one', NEVER)), 'not_found');
    await assertSigns(await backend.signingKey(fixture.path, 'one', NEVER));
  },

  'rejects a call whose signal is aborted': async ({ backend, fixture }) => {
    await fixture.create('one');
    const off = new AbortController();
    off.abort();
    await assert.rejects(backend.signingKey(fixture.path, 'one', off.signal));
    const key = await backend.signingKey(fixture.path, 'one', NEVER);
    await assert.rejects(key.sign(Buffer.from('x'), off.signal));
  },

  'reports keys that cannot be reached as unavailable, and signs again when they can': async ({ backend, fixture }) => {
    await fixture.create('one');
    const key = await backend.signingKey(fixture.path, 'one', NEVER);
    await assertSigns(key);
    await fixture.stop();
    assert.equal(await failureOf(key.sign(Buffer.from('x'), NEVER)), 'unavailable');
    assert.equal(await failureOf(backend.signingKey(fixture.path, 'one', NEVER)), 'unavailable');
    await fixture.start();
    await assertSigns(key);
    assert.equal(hexOf(await backend.signingKey(fixture.path, 'one', NEVER)), hexOf(key));
  },

  'works beside another instance, and after it was closed': async ({ backend, fixture }) => {
    await fixture.create('one');
    const next = fixture.make();
    try {
      const keys = await Promise.all([backend, next].map((each) => each.signingKey(fixture.path, 'one', NEVER)));
      for (const key of keys) await assertSigns(key);
      await backend.close?.();
      const [, key] = keys;
      if (key !== undefined) await assertSigns(key);
    } finally {
      await next.close?.();
    }
  },

  'completes a signature in progress when it is closed': async ({ backend, fixture }) => {
    await fixture.create('one');
    const key = await backend.signingKey(fixture.path, 'one', NEVER);
    const message = Buffer.from('the last one');
    const [signature] = await Promise.all([key.sign(message, NEVER), backend.close?.()]);
    assert.ok(isValid(key, message, signature), 'a valid signature', 'another one');
  },
};

/** Checks for every backend whose keys sign. */
export function signingConformance({ open }: SigningConformanceOptions): ConformanceCase[] {
  return explained(
    Object.entries(CASES).map(([name, run]) => ({
      name,
      run: async () => {
        const fixture = await open();
        const backend = fixture.make();
        try {
          await run({ backend, fixture });
        } finally {
          await backend.close?.();
          await fixture.dispose();
        }
      },
    })),
  );
}
