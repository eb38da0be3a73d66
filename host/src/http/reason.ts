import { SvcError } from '@svc/contracts';

/** Matches characters that break, hide or reorder text. Some scripts and emoji need the two joiners. */
const CONTROL = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;
const KEY = /svc-[0-9a-f]{64}/i;
/** Matches three parts of base64url, of which the first is a JSON object. A reason has at most 1,000 characters. */
const TOKEN = /\beyJ[\w-]{8,999}\.[\w-]{1,999}\./;

/**
 * The reason that a caller gives for a change. It stays on record permanently.
 * @throws {SvcError} SVC-REQ-001 for a text that is blank, cannot be recorded, would break a log line, or contains a key
 */
export function reasonOf(reason: string | null | undefined): string | null {
  if (reason === null || reason === undefined) return null;
  if (!reason.isWellFormed()) throw invalidReason('must be well-formed Unicode');
  if (CONTROL.test(reason)) throw invalidReason('must be one line without control or format characters');
  if (!VISIBLE.test(reason)) throw invalidReason('must not be blank');
  // Other forms of the same letters must not disguise a key.
  const plain = reason.normalize('NFKC');
  if (KEY.test(plain)) throw invalidReason('looks like an API key: revoke that key, and leave it out of the reason');
  if (TOKEN.test(plain)) throw invalidReason('looks like a token: leave it out of the reason');
  return reason;
}

function invalidReason(what: string): SvcError {
  return new SvcError('SVC-REQ-001', `reason ${what}`);
}
