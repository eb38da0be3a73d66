import { generateKeyPairSync } from 'node:crypto';
import type { JsonObject, Logger, SigningKey } from '@svc/contracts';
import { signingKey, signNote, verifierKey } from '@svc/ledger';
import { describe, expect, it } from 'vitest';
import { recordSigners, type SigningKeys, signersOf } from './signing-keys.ts';

const newKey = (): SigningKey => signingKey(generateKeyPairSync('ed25519').privateKey);

/** The meta values of a store, and the log. */
function scene() {
  const meta = new Map<string, string>();
  const log: JsonObject[] = [];
  const keep = (line: JsonObject): void => void log.push(line);
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep };
  const store = {
    readMeta: async (key: string) => meta.get(key) ?? null,
    writeMeta: async (key: string, expected: string | null, value: string) => {
      if ((meta.get(key) ?? null) !== expected) return false;
      meta.set(key, value);
      return true;
    },
  };
  const sign = async (keys: SigningKeys, origin = 'example.org/a') => {
    const env = { store, logger, origin };
    const signers = await signersOf(keys, env);
    await recordSigners(signers, keys, env);
    return signers;
  };
  const changes = (): number => log.filter(({ event }) => event === 'ledger_key_changed').length;
  return { meta, store, sign, changes };
}

/** The key file of one machine. */
function machine(key: SigningKey | null = null) {
  const own = {
    file: 'ledger.key',
    key,
    made: 0,
    read: async () => own.key,
    make: async () => {
      own.made += 1;
      own.key = newKey();
      return own.key;
    },
  };
  return own;
}

const REFUSED = /ledger\.signing_keys/;

describe("an operator's own key", () => {
  it('is created for a new ledger, and used from then on', async () => {
    const { sign, changes } = scene();
    const one = machine();
    const [made] = await sign(one);
    const [again] = await sign(one);
    expect(again?.key.public_key).toBe(made?.key.public_key);
    expect([one.made, changes()]).toEqual([1, 0]);
  });

  it.each([
    ['is not made where it was lost', null],
    ['is not used where another one signed', newKey()],
  ])('%s', async (_, other) => {
    const { sign, meta, changes } = scene();
    await sign(machine());
    const before = new Map(meta);
    const second = machine(other);
    await expect(sign(second)).rejects.toThrow(REFUSED);
    expect([second.made, changes()]).toEqual([0, 0]);
    expect(meta).toEqual(before);
  });

  it('is the copy of the one that signed', async () => {
    const { sign } = scene();
    const first = machine();
    await sign(first);
    await expect(sign(machine(first.key))).resolves.toHaveLength(1);
  });

  it('stays the same key under another origin', async () => {
    const { sign, changes } = scene();
    const one = machine();
    await sign(one, 'example.org/a');
    expect(await sign(one, 'example.org/b')).toMatchObject([{ name: 'example.org/b' }]);
    await expect(sign(machine(), 'example.org/b')).rejects.toThrow(REFUSED);
    expect(changes()).toBe(0);
  });

  it('must match the checkpoints of a release that stored no key', async () => {
    const { sign, meta } = scene();
    const key = newKey();
    const text = `example.org/a\n0\n${Buffer.alloc(32).toString('base64')}\n`;
    meta.set('ledger/checkpoint', await signNote(text, [{ name: 'example.org/a', key }]));
    await expect(sign(machine())).rejects.toThrow(REFUSED);
    await expect(sign(machine(newKey()))).rejects.toThrow(REFUSED);
    await expect(sign(machine(key), 'example.org/b')).resolves.toHaveLength(1);
  });

  it('is the same for two machines that begin a ledger at once', async () => {
    const { sign } = scene();
    const began = await Promise.allSettled([sign(machine()), sign(machine())]);
    expect(began.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(began.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { message: expect.stringMatching(REFUSED) },
    });
  });
});

describe('keys of the configuration', () => {
  it('sign a ledger that others signed before, and a change is reported once', async () => {
    const { sign, changes } = scene();
    const [old, key] = [newKey(), newKey()];
    await sign(machine(old));
    const signers = await sign([key, old]);
    await sign([key, old]);
    expect(signers.map(({ key }) => key.public_key)).toEqual([key.public_key, old.public_key]);
    expect(changes()).toBe(1);
  });

  it('once they are configured, the old file alone is not used again', async () => {
    const { sign, meta } = scene();
    const [old, key] = [newKey(), newKey()];
    await sign(machine(old));
    await sign([key]);
    expect([...meta.values()]).toEqual([verifierKey({ name: 'example.org/a', key })]);
    await expect(sign(machine(old))).rejects.toThrow(REFUSED);
  });
});
