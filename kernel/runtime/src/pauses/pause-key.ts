import { createHmac } from 'node:crypto';
import {
  type AnswerBody,
  type Endpoint,
  type EventStage,
  isObject,
  type JsonObject,
  type Protocol,
  type RequestBody,
} from '@svc/contracts';
import { canonicalJson } from '@svc/ledger';
import { CHAT, textOrParts } from '@svc/protocols';

/**
 * Fields that may differ between two attempts to send the same request: ids of sessions, accounting, sampling, and how the answer is sent. They are
 * ignored if they contain only ids (see {@link isId}). All other fields count.
 */
const INCIDENTAL = new Set([
  'client_metadata',
  'include',
  'max_completion_tokens',
  'max_output_tokens',
  'max_tokens',
  'previous_response_id',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'seed',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'top_p',
  'user',
]);

/** The question that an approver decides: the caller, request and route, and the node that paused the run. */
export interface Pausing {
  readonly principal_id: string;
  readonly route: { readonly name: string; readonly digest: string; readonly config_digest: string };
  /** Principals that may decide. */
  readonly approvers: readonly string[];
  readonly stage: EventStage;
  readonly node: string;
  readonly code: string;
  /** The endpoint, if the run pauses before a model call. Otherwise null. */
  readonly endpoint: Endpoint | null;
  /** The protocol of request and answer. Both contain the edits of earlier nodes. */
  readonly protocol: Protocol;
  readonly request: RequestBody;
  readonly completion: AnswerBody | null;
  /** States of the nodes that edited the request. They count because the same placeholder may stand for different values. */
  readonly masked: Readonly<Record<string, JsonObject>>;
}

/**
 * The key of a pause: 64 hex characters. Two pauses with the same key ask the same question. It is an HMAC, so nobody without the secret can test
 * guesses of a text. It covers everything that an approver sees, even the parts that the node did not check, except {@link INCIDENTAL} fields.
 */
export function pauseKey(
  secret: Buffer,
  { protocol, request, completion, route, endpoint, approvers, masked, ...pause }: Pausing,
): string {
  const { principal_id, stage, node, code } = pause;
  const { [protocol.request.holder]: _, ...others } = request;
  const turns = protocol.turnsOf(request).map((turn) => (isObject(turn) ? unmarked(turn) : turn));
  const fields = Object.entries(others).filter(([name, value]) => !isIncidental(name, value));
  const there = endpoint === null ? null : { model: endpoint.model, provider: endpoint.provider, region: endpoint.region };
  const text = canonicalJson({
    answers: completion === null ? null : protocol.contentOf(completion),
    approvers: approvers.toSorted(),
    code,
    config_digest: route.config_digest,
    endpoint: there,
    masked,
    node,
    principal_id,
    request: { ...Object.fromEntries(fields), messages: turns },
    ...(protocol.id === CHAT.id ? {} : { protocol: protocol.id }),
    route: route.name,
    route_digest: route.digest,
    stage,
  });
  return createHmac('sha256', secret).update(text).digest('hex');
}

function isIncidental(name: string, value: unknown): boolean {
  // The user's id, as the Messages API sends it.
  const isUser = name === 'metadata' && isObject(value) && Object.keys(value).every((key) => key === 'user_id');
  return (INCIDENTAL.has(name) || isUser) && isId(value);
}

/** Claude Code's user id is a JSON object, so the punctuation of JSON is allowed. */
const ID = /^[\w.:@|/+={}",-]{0,1024}$/;

/** Whether a value contains only numbers, and ids without spaces: nothing that can be read as a sentence. */
function isId(value: unknown): boolean {
  if (typeof value === 'string') return ID.test(value);
  if (Array.isArray(value)) return value.every(isId);
  return !isObject(value) || Object.entries(value).every(([name, member]) => ID.test(name) && isId(member));
}

/**
 * A turn without the parts that differ between attempts: cache marks, which clients move, and the id of an item. A single text part becomes plain
 * text.
 */
function unmarked(turn: JsonObject): JsonObject {
  const { id, status: _, ...item } = turn;
  const bare = withoutMark(turn.type === 'message' && isId(id ?? '') ? item : turn);
  if (!Array.isArray(bare.content)) return bare;
  return { ...bare, content: textOrParts(bare.content.map((part) => (isObject(part) ? withoutMark(part) : part))) };
}

/** The value without its cache mark. If the mark contains anything unusual, the value is left unchanged. */
function withoutMark<T extends object>(value: T): T {
  const { cache_control: mark, ...rest } = value as T & { cache_control?: unknown };
  if (!isObject(mark)) return value;
  const { type, ttl = '5m', ...others } = mark;
  const isMark = type === 'ephemeral' && (ttl === '5m' || ttl === '1h') && Object.keys(others).length === 0;
  return isMark ? (rest as T) : value;
}
