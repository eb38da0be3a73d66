import type { DecisionStatement } from '@svc/contracts';
import { KeyTree } from '@svc/runtime/content';
import { OperationsLog } from '@svc/runtime/records';
import { expect, it } from 'vitest';
import { handClock, sharedMeta } from '../../host/src/http/test-keys.ts';
import { PagePasskeys } from '../../host/src/passkeys/page-passkeys.ts';
import { StoredPasskeys } from '../../host/src/passkeys/stored-passkeys.ts';
import { UseCounters } from '../../host/src/passkeys/use-counters.ts';
import { silentLogger } from '../../host/src/telemetry/log/logger.ts';
import { Authenticator } from '../harness/authenticator.ts';

const MINUTE = 60_000;
const SETTINGS = { origin: 'https://gateway.example.com', rp_id: 'gateway.example.com' };
const ADA = {
  principal_id: 'ada',
  roles: ['approve'],
  routes: null,
  namespaces: null,
  team: null,
  identity: { issuer: 'https://login.example.com', subject: 'ada' },
  key_id: null,
} as const;
const STATEMENT: DecisionStatement = {
  copies: [],
  decision: 'approved',
  digest: 'sha256:0',
  edited: null,
  ledger: 'svc-ledger-1',
  node: 'payments',
  nonce: 'AAAA',
  on_behalf_of: null,
  principal_id: 'ada',
  reason_digest: null,
  run_id: 'run',
  time: '2026-01-01T00:00:00.000Z',
  type: 'svc.decision.v1',
};
const MADE = { statement: STATEMENT, salts: { edits: 'a', reason: 'b' } };
const keys = { newest: KeyTree.generate(), older: [], forget: null };

/** One of the gateways over a store. */
function gateway(meta = sharedMeta(), clock = handClock(), settings = SETTINGS) {
  const stored = new StoredPasskeys();
  const log = new OperationsLog({
    store: meta,
    clock,
    content_keys: keys,
    logger: { warn: () => undefined },
    apply: [stored.apply],
  });
  const counters = new UseCounters(Promise.resolve(meta));
  const assertStill = () => undefined;
  return {
    clock,
    meta,
    passkeys: new PagePasskeys({
      settings: () => settings,
      stored,
      counters,
      log,
      keys,
      clock,
      assertStill,
      logger: silentLogger,
    }),
  };
}

async function registered(passkeys: PagePasskeys, counter = 0) {
  const passkey = new Authenticator(SETTINGS.origin);
  passkey.counter = counter;
  const { options, ticket } = await passkeys.beginRegistration(ADA);
  await passkeys.register(ADA, ticket, passkey.create(options as never));
  return passkey;
}

it('a challenge is valid for five minutes, at every gateway of the store', async () => {
  const { clock, meta, passkeys } = gateway();
  const passkey = await registered(passkeys);
  const { options, ticket } = await passkeys.beginSigning(ADA, MADE);
  const credential = passkey.get(options as never);
  const other = gateway(meta, clock).passkeys;
  clock.advance(5 * MINUTE - 1000);
  expect(await other.verify(ADA, ticket, credential)).toMatchObject({ ...MADE, signed: { statement: STATEMENT } });
  clock.advance(1000);
  await expect(passkeys.verify(ADA, ticket, credential)).rejects.toMatchObject({ code: 'SVC-AUTH-005' });
});

it('the same is true of a challenge for registration', async () => {
  const { clock, passkeys } = gateway();
  const { options, ticket } = await passkeys.beginRegistration(ADA);
  clock.advance(5 * MINUTE);
  const credential = new Authenticator(SETTINGS.origin).create(options as never);
  await expect(passkeys.register(ADA, ticket, credential)).rejects.toMatchObject({ code: 'SVC-REQ-001' });
});

it('a passkey that another gateway has removed signs nothing', async () => {
  const { clock, meta, passkeys } = gateway();
  const passkey = await registered(passkeys);
  const { options, ticket } = await passkeys.beginSigning(ADA, MADE);
  await gateway(meta, clock).passkeys.remove(ADA, passkey.id.toString('base64url'), null);
  const credential = passkey.get(options as never);
  await expect(passkeys.verify(ADA, ticket, credential)).rejects.toMatchObject({ code: 'SVC-AUTH-005' });
});

it('every gateway checks the counter, even two at the same time', async () => {
  const { clock, meta, passkeys } = gateway();
  const passkey = await registered(passkeys, 3);
  const { options, ticket } = await passkeys.beginSigning(ADA, MADE);
  const credential = passkey.get(options as never, { counter: 4 });
  const both = [passkeys, gateway(meta, clock).passkeys].map((each) => each.verify(ADA, ticket, credential));
  const settled = await Promise.allSettled(both);
  expect(settled.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

it('a passkey is valid only for the relying party of its registration', async () => {
  const { clock, meta, passkeys } = gateway();
  await registered(passkeys);
  const moved = gateway(meta, clock, { origin: 'https://other.example.com', rp_id: 'other.example.com' }).passkeys;
  expect(await moved.list(null)).toEqual([]);
  await expect(moved.beginSigning(ADA, MADE)).rejects.toMatchObject({ code: 'SVC-AUTH-005' });
});

it('a person has a limited number of passkeys', async () => {
  const { passkeys } = gateway();
  for (let n = 0; n < 20; n += 1) await registered(passkeys);
  await expect(passkeys.beginRegistration(ADA)).rejects.toMatchObject({ code: 'SVC-REQ-001' });
});
