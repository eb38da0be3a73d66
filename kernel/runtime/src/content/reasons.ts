import type { ContentItem, RunEvent, RunRow } from '@svc/contracts';
import { sha256 } from '@svc/ledger';
import { decodeJson, encodeJson, keptUntil } from './run-content.ts';
import type { ContentVault } from './vault.ts';

/** Name of the content item with the reasons of approvers. It is kept for as long as any content of the run may be kept. */
export const REASONS_CONTENT = 'reasons';

/** A reason, and the salt of its digest: 16 bytes in base64. Without the salt, a short reason could be guessed from the digest. */
export interface KeptReason {
  readonly salt: string;
  readonly reason: string;
}

type Env = Parameters<typeof keptUntil>[2] & { readonly content: ContentVault };

/** The digest of a reason in the evidence: SHA-256 of the salt and the text. */
export function reasonDigest({ salt, reason }: KeptReason): string {
  return sha256(Buffer.concat([Buffer.from(salt, 'base64'), Buffer.from(reason)]));
}

/** Until when the reasons of a run are kept, in milliseconds since the epoch. Null: until they are erased. */
export function reasonsUntil(row: RunRow, env: Parameters<typeof keptUntil>[2]): number | null {
  return keptUntil(row, null, env);
}

/** Whether a decision on a run has a reason. */
export function hasReasons(events: readonly RunEvent[]): boolean {
  return events.some(({ data }) => data.reason_digest !== undefined);
}

/** The content item of a run's reasons, with one more reason. @throws {SvcError} SVC-RUN-005 if the others cannot be read */
export async function addReason(
  run: { readonly run_id: string; readonly row: RunRow },
  given: KeptReason,
  env: Env,
): Promise<ContentItem> {
  const all = [...(await readReasons(run.run_id, env.content)), given];
  return { name: REASONS_CONTENT, bytes: encodeJson(all), expires_at: reasonsUntil(run.row, env) };
}

/** @throws {SvcError} SVC-RUN-005 if they cannot be read */
async function readReasons(run_id: string, content: ContentVault): Promise<readonly KeptReason[]> {
  const found = await content.read(run_id, REASONS_CONTENT);
  return found === null ? [] : decodeJson<KeptReason[]>(found.bytes);
}

/**
 * The reasons of a run that are still kept, by their digest.
 * @throws {SvcError} SVC-RUN-005 if they cannot be read
 */
export async function reasonsOf(run_id: string, content: ContentVault): Promise<ReadonlyMap<string, string>> {
  const all = await readReasons(run_id, content);
  return new Map(all.map((kept) => [reasonDigest(kept), kept.reason]));
}

/** Why a run was denied. Undefined if no reason was given or it is no longer kept. @throws {SvcError} SVC-RUN-005 if it cannot be read */
export async function denialReason(
  run_id: string,
  events: readonly RunEvent[],
  content: ContentVault,
): Promise<string | undefined> {
  const denial = events.findLast(({ event_type, data }) => event_type === 'decision' && data.decision === 'denied');
  const digest = denial?.data.reason_digest;
  return digest === undefined ? undefined : (await reasonsOf(run_id, content)).get(digest);
}
