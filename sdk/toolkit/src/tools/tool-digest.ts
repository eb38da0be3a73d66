import { createHash } from 'node:crypto';
import type { OfferedTool } from '@svc/contracts';
import { canonicalJson } from '@svc/ledger';

/** SHA-256 in lowercase hex of a definition as canonical JSON (RFC 8785). The same tool has the same digest in every protocol. */
export function toolDigest({ definition }: Pick<OfferedTool, 'definition'>): string {
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}
