import { randomBytes } from 'node:crypto';
import type { AnswerBody, Endpoint, JsonObject, ProtocolId, RequestBody, Spend, Stage } from '@svc/contracts';
import type { Continued, Conversation } from '@svc/kernel/ports';
import { canonicalJson, sha256 } from '@svc/ledger';

/** Name of the content item that holds a paused run. */
export const PAUSE_CONTENT = 'pause';

/** Everything that a paused run needs to continue, in this process or another. Stored as JSON. */
export interface PausedPayload {
  readonly stage: Stage | 'execute';
  readonly node: string;
  /** Index in the stage of the node that paused the run. -1: a rule of the route, before the first node. */
  readonly index: number;
  readonly code: string;
  /** ISO 8601. */
  readonly since: string;
  /** 16 random bytes, base64. */
  readonly salt: string;
  readonly digest: string;
  readonly route_digest: string;
  /** The endpoint that was to be called, if the run paused before that call. An approval is for this endpoint. */
  readonly endpoint: Endpoint | null;
  /** The protocol of request and answer. Absent: the chat format. */
  readonly protocol?: ProtocolId;
  readonly request: RequestBody;
  /** The answer that an egress pause holds. */
  readonly completion: AnswerBody | null;
  readonly states: Record<string, JsonObject>;
  readonly spend: readonly Spend[];
  readonly unbilled: boolean;
  /** This field and those below it are absent in payloads of older releases. */
  readonly keepRequest?: boolean;
  /** The key that determined the order of the endpoints. Null: the run's id. */
  readonly affinity?: string | null;
  readonly conversation?: Conversation | null;
  /** Request and answer before approvers changed them. If present, the whole stage is asked again, whatever `route_digest` is. */
  readonly original?: Pick<PausedPayload, 'request' | 'completion'>;
  /** The part of `request` that earlier runs keep unchanged. */
  readonly continued?: Continued | null;
}

/**
 * Identifies what is decided: SHA-256 of the salt and the canonical JSON of the current request and answer. Without the salt, a short payload could
 * be guessed from the digest in the ledger.
 */
export function payloadDigest(run: Pick<PausedPayload, 'request' | 'completion'>, salt: string): string {
  const payload = canonicalJson({ request: run.request, completion: run.completion });
  return sha256(Buffer.concat([Buffer.from(salt, 'base64'), Buffer.from(payload)]));
}

export function newSalt(): string {
  return randomBytes(16).toString('base64');
}
