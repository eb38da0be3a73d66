import { hash, verify } from 'node:crypto';
import { type DecisionStatement, isObject, SignedDecision } from '@svc/contracts';
import { Compile } from 'typebox/compile';
import { canonicalJson } from './canonical.ts';
import { coseKey } from './cose-key.ts';

/** How long a statement may be signed and sent, in milliseconds. */
export const STATEMENT_MS = 300_000;
/** How far the clocks of two gateways may differ. */
export const CLOCK_SKEW_MS = 60_000;
/** In the authenticator data: the digest of the relying party, and flags that say that the authenticator has verified the user. */
const RP_BYTES = 32;
const PRESENT_AND_VERIFIED = 0b101;

/** A decision that a passkey has signed, in the evidence of a run. */
export interface DecisionSignature {
  readonly ledger: string;
  readonly public_key: string;
  readonly rp_id: string;
  /** Of the person, as an issuer verified it; null: the event names none. */
  readonly issuer: string | null;
  readonly subject: string | null;
  /** When the statement was made, ISO 8601. */
  readonly time: string;
}

let schema: ReturnType<typeof compile> | undefined;

function compile() {
  return Compile(SignedDecision);
}

/** The challenge that a passkey signs: SHA-256 of the canonical JSON of the statement. */
export function challengeOf(statement: DecisionStatement): Buffer {
  return hash('sha256', canonicalJson(statement), 'buffer');
}

/** Whether two times, of clocks that differ little, are no further apart than a statement is valid. ISO 8601. */
function isTimely(made: string, decided: string): boolean {
  const ms = Date.parse(decided) - Date.parse(made);
  return ms >= -CLOCK_SKEW_MS && ms <= STATEMENT_MS + CLOCK_SKEW_MS;
}

type Data = Readonly<Record<string, unknown>>;

/**
 * The signatures in the events of a run. Null: one of them is invalid, or is for another run, content or principal than its event says.
 * @param events of any release
 */
export function signaturesIn(
  run_id: string,
  events: readonly { readonly event_type: string; readonly node: string; readonly data: Data }[],
): DecisionSignature[] | null {
  const found = new Map<string, DecisionSignature>();
  for (const { event_type, node, data } of events) {
    const { signed, issuer, subject } = data;
    if (event_type !== 'decision' || signed === undefined) continue;
    schema ??= compile();
    if (!schema.Check(signed) || !isOf(signed.statement, run_id, node, data) || !isSigned(signed)) return null;
    const { statement, public_key, rp_id } = signed;
    const { ledger, time, nonce } = statement;
    // A signature counts once.
    if (found.has(nonce)) return null;
    found.set(nonce, { ledger, public_key, rp_id, issuer: textOf(issuer), subject: textOf(subject), time });
  }
  return [...found.values()];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Whether a statement says the same as the event of its run, or of a copy that it lists. The event of a copy names the run that was decided on. */
function isOf(statement: DecisionStatement, run_id: string, node: string, data: Data): boolean {
  const decided_on = isObject(data.together) ? data.together.run_id : run_id;
  const about = decided_on === run_id ? statement : statement.copies.find((copy) => copy.run_id === run_id);
  return (
    statement.run_id === decided_on &&
    about !== undefined &&
    about.digest === data.digest &&
    statement.node === node &&
    statement.decision === data.decision &&
    statement.edited === (data.edited ?? null) &&
    statement.reason_digest === (data.reason_digest ?? null) &&
    canonicalJson(statement.on_behalf_of) === canonicalJson(data.on_behalf_of ?? null) &&
    statement.principal_id === data.principal_id &&
    isTimely(statement.time, String(data.at))
  );
}

/** Whether the passkey has signed the statement, for its relying party, after the authenticator has verified the user. */
function isSigned({ statement, rp_id, ...signed }: SignedDecision): boolean {
  const [data, client, signature, cose] = [
    bytesIn(signed.authenticator_data),
    bytesIn(signed.client_data),
    bytesIn(signed.signature),
    bytesIn(signed.public_key),
  ];
  if (data === null || client === null || signature === null || cose === null || data.length <= RP_BYTES) return false;
  const made = clientData(client);
  const isAsked = made.type === 'webauthn.get' && made.challenge === challengeOf(statement).toString('base64url');
  const isOwnPage = made.crossOrigin === undefined || made.crossOrigin === false;
  const isFor = data.subarray(0, RP_BYTES).equals(hash('sha256', rp_id, 'buffer'));
  const isVerified = ((data[RP_BYTES] ?? 0) & PRESENT_AND_VERIFIED) === PRESENT_AND_VERIFIED;
  const known = coseKey(cose);
  if (!isAsked || !isOwnPage || !isFor || !isVerified || known === null) return false;
  return verify(known.digest, Buffer.concat([data, hash('sha256', client, 'buffer')]), known.key, signature);
}

function clientData(bytes: Buffer): { readonly type?: unknown; readonly challenge?: unknown; readonly crossOrigin?: unknown } {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Null: not the one way to write these bytes in base64url, so that each changed character is found. */
function bytesIn(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}
