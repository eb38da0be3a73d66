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
 * Fields that differ between two tries of one request although nobody changed it: ids of sessions, accounting, sampling, and how the answer
 * is sent. They are no text of the conversation, and count where they hold any (see {@link isId}). A field that is not named here counts.
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

/** What an approver decides on: the caller, the request, the route, and the node that paused it. */
export interface Pausing {
  readonly principal_id: string;
  readonly route: { readonly name: string; readonly digest: string; readonly config_digest: string };
  /** Who may decide. */
  readonly approvers: readonly string[];
  readonly stage: EventStage;
  readonly node: string;
  readonly code: string;
  /** Null unless it pauses before a call of a model. */
  readonly endpoint: Endpoint | null;
  /** With the edits of the nodes before. */
  readonly protocol: Protocol;
  readonly request: RequestBody;
  readonly completion: AnswerBody | null;
  /** States of the nodes that edited it: the same placeholder may stand for another value. */
  readonly masked: Readonly<Record<string, JsonObject>>;
}

/**
 * Two pauses with the same key ask the same: 64 hex characters. An HMAC, so that nobody without the secret can test guesses of a text.
 * It covers all that an approver is shown but {@link INCIDENTAL} fields, whatever part of it the node looked at.
 */
export function pauseKey(
  secret: Buffer,
  { protocol, request, completion, route, endpoint, approvers, masked, ...asked }: Pausing,
): string {
  const { principal_id, stage, node, code } = asked;
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
  // As the Messages API has the user.
  const isUser = name === 'metadata' && isObject(value) && Object.keys(value).every((key) => key === 'user_id');
  return (INCIDENTAL.has(name) || isUser) && isId(value);
}

/** Claude Code's user id is an object written as text. */
const ID = /^[\w.:@|/+={}",-]{0,1024}$/;

/** Whether nothing in it can be read as a sentence: numbers, and ids without a space. */
function isId(value: unknown): boolean {
  if (typeof value === 'string') return ID.test(value);
  if (Array.isArray(value)) return value.every(isId);
  return !isObject(value) || Object.entries(value).every(([name, member]) => ID.test(name) && isId(member));
}

/**
 * A turn without marks of what a provider is to cache, which clients move from try to try, and without the id that an item gets in each. A text that
 * stands alone is given as such.
 */
function unmarked(turn: JsonObject): JsonObject {
  const { id, status: _, ...item } = turn;
  const bare = withoutMark(turn.type === 'message' && isId(id ?? '') ? item : turn);
  if (!Array.isArray(bare.content)) return bare;
  return { ...bare, content: textOrParts(bare.content.map((part) => (isObject(part) ? withoutMark(part) : part))) };
}

/** With a mark that holds anything else it stays as it is. */
function withoutMark<T extends object>(value: T): T {
  const { cache_control: mark, ...rest } = value as T & { cache_control?: unknown };
  if (!isObject(mark)) return value;
  const { type, ttl = '5m', ...others } = mark;
  const isMark = type === 'ephemeral' && (ttl === '5m' || ttl === '1h') && Object.keys(others).length === 0;
  return isMark ? (rest as T) : value;
}
