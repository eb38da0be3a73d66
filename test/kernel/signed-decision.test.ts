import { createHash, generateKeyPairSync } from 'node:crypto';
import type { DecisionStatement, JsonObject } from '@svc/contracts';
import {
  canonicalJson,
  challengeOf,
  coseKey,
  LedgerVerifier,
  Passkeys,
  type ReadRecord,
  readOperation,
  readRecord,
} from '@svc/ledger';
import { describe, expect, it } from 'vitest';
import { Authenticator, coseOf, type Faults } from '../harness/authenticator.ts';
import { chain, evidence } from '../harness/evidence.ts';

const ORIGIN = 'https://gateway.example.com';
const RP = 'gateway.example.com';
const TIME = '2026-01-05T09:00:00.000Z';
const LATER = '2026-01-05T09:01:00.000Z';
const ADA = { issuer: 'https://login.example.com', subject: 'ada' };
const DIGEST = `sha256:${'d'.repeat(64)}`;
const OTHER = `sha256:${'e'.repeat(64)}`;
const BOB = { delegation_id: 'd-1', ...ADA, subject: 'bob', principal_id: 'bob' };

const statementOf = (run_id: string, changes: Partial<DecisionStatement> = {}): DecisionStatement => ({
  copies: [{ digest: OTHER, run_id: runOf(7) }],
  decision: 'approved',
  digest: DIGEST,
  edited: null,
  ledger: 'svc-ledger-1',
  node: 'payments',
  nonce: createHash('sha256').update(run_id).digest('base64url'),
  on_behalf_of: BOB,
  principal_id: 'ada',
  reason_digest: null,
  run_id,
  time: TIME,
  type: 'svc.decision.v1',
  ...changes,
});

function signedWith(passkey: Authenticator, statement: DecisionStatement, faults: Faults = {}) {
  const challenge = challengeOf(statement).toString('base64url');
  const { response } = passkey.get({ challenge, rpId: RP }, faults);
  return {
    authenticator_data: response.authenticatorData,
    client_data: response.clientDataJSON,
    public_key: passkey.public_key.toString('base64url'),
    rp_id: RP,
    signature: response.signature,
    statement,
  };
}

const decisionOf = (signed: object, more: JsonObject = {}) => ({
  event_type: 'decision',
  stage: 'approval',
  node: 'payments',
  data: {
    at: LATER,
    decision: 'approved',
    digest: DIGEST,
    on_behalf_of: BOB,
    principal_id: 'ada',
    ...ADA,
    route_digest: 'r',
    signed,
    ...more,
  },
});

/** The only record of a ledger: a run with these events. */
function record(n: number, ...events: object[]): Buffer {
  const [made] = chain([{ ...evidence(n), events: events as unknown as JsonObject[] }]);
  return Buffer.from(made?.bytes ?? '');
}

const runOf = (n: number): string => String(evidence(n).run_id);
const read = (bytes: Buffer) => readRecord(bytes, { seq: 0, hash: 'genesis' });

describe('a decision that a passkey has signed', () => {
  it.each(['ES256', 'EdDSA', 'RS256'] as const)('is read together with its signature: %s', (algorithm) => {
    const passkey = new Authenticator(ORIGIN, algorithm);
    const signed = signedWith(passkey, statementOf(runOf(1)));
    const { public_key, rp_id } = signed;
    expect(read(record(1, decisionOf(signed)))).toMatchObject({
      signatures: [{ ledger: 'svc-ledger-1', public_key, rp_id, ...ADA, time: TIME }],
    });
  });

  it.each(['ES256', 'EdDSA', 'RS256'] as const)('is refused after one changed character anywhere in it: %s', (algorithm) => {
    const signed: Record<string, unknown> = signedWith(new Authenticator(ORIGIN, algorithm), statementOf(runOf(1)));
    for (const [name, value] of Object.entries(signed)) {
      const text = canonicalJson(value);
      for (let at = 0; at < text.length; at += 1) {
        const changed = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
        const other = parsed(changed);
        if (other === undefined) continue;
        expect([name, at, read(record(1, decisionOf({ ...signed, [name]: other })))]).toEqual([name, at, 'wrong_signature']);
      }
    }
  });

  it('is refused with an additional member, or without a required one', () => {
    const signed = signedWith(new Authenticator(ORIGIN), statementOf(runOf(1)));
    const { rp_id: _, ...rest } = signed;
    for (const other of [{ ...signed, more: 1 }, rest, null, 'signed', []])
      expect(read(record(1, decisionOf(other as object)))).toBe('wrong_signature');
  });

  it.each<Faults>([{ rp_id: 'evil.example' }, { verified: false }, { challenge: 'AAAA' }, { crossOrigin: true }])(
    'is refused if the authenticator signed it with %j',
    (faults) => {
      const signed = signedWith(new Authenticator(ORIGIN), statementOf(runOf(1)), faults);
      expect(read(record(1, decisionOf(signed)))).toBe('wrong_signature');
    },
  );

  it.each<JsonObject>([
    { digest: `sha256:${'e'.repeat(64)}` },
    { decision: 'denied' },
    { edited: DIGEST },
    { reason_digest: DIGEST },
    { principal_id: 'bob' },
    { on_behalf_of: null },
    { on_behalf_of: { ...BOB, principal_id: 'carol' } },
    { on_behalf_of: { ...BOB, subject: 'carol' } },
    { on_behalf_of: { ...BOB, delegation_id: 'd-2' } },
    { at: '2026-01-05T09:10:00.000Z' },
    { at: '2026-01-05T08:50:00.000Z' },
    { at: 'soon' },
  ])('is refused if the event says %j', (more) => {
    const signed = signedWith(new Authenticator(ORIGIN), statementOf(runOf(1)));
    expect(read(record(1, decisionOf(signed, more)))).toBe('wrong_signature');
  });

  it('is for one run, one node and one use', () => {
    const passkey = new Authenticator(ORIGIN);
    const decision = decisionOf(signedWith(passkey, statementOf(runOf(1))));
    expect(read(record(2, decision))).toBe('wrong_signature');
    expect(read(record(1, { ...decision, node: 'other' }))).toBe('wrong_signature');
    expect(read(record(1, decision, decision))).toBe('wrong_signature');
    const again = decisionOf(signedWith(passkey, statementOf(runOf(1), { nonce: 'another' })));
    expect(read(record(1, decision, again))).toMatchObject({ signatures: [{}, {}] });
  });

  it('also applies to the copies in its statement, with the digest of each; their events name the run that was decided on', () => {
    const copies = [{ digest: OTHER, run_id: runOf(2) }];
    const signed = signedWith(new Authenticator(ORIGIN), statementOf(runOf(1), { copies }));
    const together = { run_id: runOf(1), runs: 2 };
    expect(read(record(2, decisionOf(signed, { together, digest: OTHER })))).toMatchObject({ signatures: [{}] });
    expect(read(record(1, decisionOf(signed, { together })))).toMatchObject({ signatures: [{}] });
    const wrong: [number, JsonObject][] = [
      [2, { together }],
      [2, { together, digest: OTHER, on_behalf_of: { ...BOB, principal_id: 'carol' } }],
      [2, { together: { run_id: runOf(2), runs: 2 }, digest: OTHER }],
      [2, { together: { run_id: runOf(3), runs: 2 }, digest: OTHER }],
      [2, { digest: OTHER }],
      [1, { together, digest: OTHER }],
      [3, { together }],
      [3, { together, digest: OTHER }],
      [3, { together, digest: `sha256:${'f'.repeat(64)}` }],
    ];
    for (const [n, more] of wrong)
      expect([n, more, read(record(n, decisionOf(signed, more)))]).toEqual([n, more, 'wrong_signature']);
    const { digest: _, ...rest } = decisionOf(signed, { together }).data;
    expect(read(record(3, { ...decisionOf(signed), data: rest }))).toBe('wrong_signature');
  });

  it('is refused in the record of a run that is not in its own statement', () => {
    const copies = [{ digest: OTHER, run_id: runOf(1) }];
    const signed = signedWith(new Authenticator(ORIGIN), statementOf(runOf(1), { copies }));
    expect(read(record(1, decisionOf(signed)))).toMatchObject({ signatures: [{}] });
    expect(read(record(1, decisionOf(signed, { digest: OTHER })))).toBe('wrong_signature');
  });
});

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

describe('a COSE key', () => {
  const good = coseOf('ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);

  it.each([
    ['empty', Buffer.alloc(0)],
    ['cut off', good.subarray(0, -1)],
    ['followed by more', Buffer.concat([good, Buffer.of(0)])],
    ['not a map', Buffer.from(good).fill(0x84, 0, 1)],
    ['of another curve', coseOf('ES256', generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey)],
    ['too short', coseOf('RS256', generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey)],
    ['no point of the curve', Buffer.from(good).fill(0xff, good.length - 8)],
  ])('is invalid if it is %s', (_, bytes) => {
    expect(coseKey(good)?.algorithm).toBe(-7);
    expect(coseKey(bytes)).toBeNull();
  });
});

describe('the passkeys of an operations log', () => {
  const passkey = new Authenticator(ORIGIN);
  const change = { algorithm: -7, public_key: passkey.public_key.toString('base64url'), rp_id: RP };
  const operation = (action: string, at: string, changes: JsonObject = {}) => ({
    record_type: 'operation',
    at,
    action,
    actor: { principal_id: 'ada', ...ADA },
    target: { kind: 'passkey', name: 'id' },
    before: null,
    after: null,
    reason: null,
    change,
    ...changes,
  });
  const registered = operation('passkey.registered', '2026-01-05T08:00:00.000Z');

  function compared(operations: JsonObject[], ...signatures: ReturnType<typeof signedWith>[]) {
    const passkeys = new Passkeys();
    const ledger = new LedgerVerifier([], [], readRecord, passkeys);
    const log = new LedgerVerifier([], [], readOperation, passkeys);
    const runs = signatures.map((signed, n) => ({ ...evidence(n), events: [decisionOf(signed)] as unknown as JsonObject[] }));
    for (const { bytes } of chain(runs)) expect(ledger.add(Buffer.from(bytes))).not.toBeNull();
    for (const { bytes } of chain(operations))
      expect(log.add(Buffer.from(bytes))).toMatchObject<Partial<ReadRecord>>({ run: null });
    return passkeys;
  }

  const signed = signedWith(passkey, statementOf(runOf(0)));
  const unregistered = { seq: 1, through: 1, why: 'unregistered_passkey' };

  it('must have the key of a signature, for that person and relying party', () => {
    expect(compared([registered], signed).fault(true)).toBeNull();
    const others: JsonObject[][] = [
      [],
      [operation('passkey.registered', registered.at, { actor: { principal_id: 'ada', ...ADA, subject: 'eve' } })],
      [operation('passkey.registered', registered.at, { change: { ...change, rp_id: 'example.com' } })],
      [operation('passkey.registered', registered.at, { change: { ...change, public_key: 'AAAA' } })],
      [operation('passkey.registered', registered.at, { change: {} })],
      [operation('key.created', registered.at)],
    ];
    for (const operations of others) {
      const passkeys = compared(operations, signed);
      expect([passkeys.signatures, passkeys.fault(true), passkeys.fault(false)]).toEqual([1, unregistered, null]);
    }
  });

  it('must have it at the time of the statement, with a tolerance for clocks', () => {
    const removed = (at: string) => operation('passkey.removed', at, { change: {} });
    expect(compared([registered, removed(LATER)], signed).fault(true)).toBeNull();
    expect(compared([registered, removed('2026-01-05T08:59:30.000Z')], signed).fault(true)).toBeNull();
    expect(compared([registered, removed('2026-01-05T08:58:00.000Z')], signed).fault(true)).toEqual(unregistered);
    expect(compared([operation('passkey.registered', '2026-01-05T09:02:00.000Z')], signed).fault(true)).toEqual(unregistered);
  });

  it('are valid for one ledger only', () => {
    const other = signedWith(passkey, statementOf(runOf(1), { ledger: 'svc-ledger-2' }));
    for (const hasOperations of [true, false])
      expect(compared([registered], signed, other).fault(hasOperations)).toEqual({ seq: 2, through: 2, why: 'other_ledger' });
  });
});
