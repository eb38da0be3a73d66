import { randomBytes } from 'node:crypto';
import type { NewOperation, Store } from '@svc/contracts';
import { KeyTree } from '@svc/runtime/content';
import { OperationsLog } from '@svc/runtime/records';
import { fakeLogger } from '@svc/sdk/testing';
import { expect, it } from 'vitest';
import { StoredPasskeys } from '../../host/src/passkeys/stored-passkeys.ts';

const CONTENT_KEYS = { newest: KeyTree.generate(), older: [], forget: null };
const RP_ID = 'gateway.example.com';
const PERSON = { issuer: 'https://login.example', subject: 'mia' };
const DIGEST = `sha256:${'0'.repeat(64)}`;

/** A process that reads the operations log of a store. */
function processOf(store: Store) {
  const passkeys = new StoredPasskeys();
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const log = new OperationsLog({ store, content_keys: CONTENT_KEYS, clock, logger: fakeLogger(), apply: [passkeys.apply] });
  return { passkeys, log };
}

function operation(action: string, id: string, change: NewOperation['change']): NewOperation {
  const actor = { principal_id: 'corp:mia', ...PERSON, key_id: null };
  const [before, after] = action === 'passkey.registered' ? [null, DIGEST] : [DIGEST, null];
  return { actor, action, target: { kind: 'passkey', name: id }, before, after, reason: null, change } as NewOperation;
}

/** @param open opens the same store each time */
export function testRemovedPasskey(open: () => Promise<Store>): void {
  it('a removed passkey stays removed for every process and across a restart, and its id cannot be registered again', async () => {
    const [one, other] = ['removed', 'kept'];
    const key = (): NewOperation['change'] => ({
      algorithm: -7,
      public_key: randomBytes(77).toString('base64url'),
      rp_id: RP_ID,
    });
    const first = await open();
    const [writer, reader] = [processOf(first), processOf(first)];
    for (const id of [one, other]) await writer.log.append(() => operation('passkey.registered', id, key()));
    await reader.log.catchUp();
    const public_key = reader.passkeys.get(one)?.public_key ?? '';
    expect([reader.passkeys.has(PERSON, public_key), reader.passkeys.valid(RP_ID).map(({ id }) => id)]).toEqual([
      true,
      [one, other],
    ]);
    const { at } = await writer.log.append(() => operation('passkey.removed', one, {}));
    await reader.log.catchUp();
    await first.close();

    const again = await open();
    const restarted = processOf(again);
    await restarted.log.catchUp();
    for (const { passkeys } of [writer, reader, restarted]) {
      expect(passkeys.has(PERSON, public_key)).toBe(false);
      expect(passkeys.valid(RP_ID).map(({ id }) => id)).toEqual([other]);
      expect(passkeys.get(one)).toMatchObject({ id: one, removed_at: at, public_key });
    }
    // A record that registers it again, as a gateway never writes it, makes nothing valid.
    await restarted.log.append(() => operation('passkey.registered', one, key()));
    expect(restarted.passkeys.valid(RP_ID).map(({ id }) => id)).toEqual([other]);
    await again.close();
  });
}
