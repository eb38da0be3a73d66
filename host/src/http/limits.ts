import {
  type ChatRequest,
  type Cost,
  type ErrorCode,
  isObject,
  isSvcError,
  type Protocol,
  type RequestBody,
  SvcError,
} from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import { CHAT } from '@svc/protocols';
import type { FastifyReply } from 'fastify';
import { type Admission, type Counted, type Left, type RateLimits, type Refusal, sessionName } from '../limits/rate-limits.ts';
import { factsOf } from './client-facts.ts';
import type { Principal } from './key-ring.ts';

const CODES: Readonly<Record<Refusal['unit'], ErrorCode>> = {
  requests: 'SVC-LIMIT-001',
  tokens: 'SVC-LIMIT-002',
  concurrent: 'SVC-LIMIT-003',
};
const UNITS: Readonly<Record<Refusal['unit'], string>> = {
  requests: 'requests per minute',
  tokens: 'tokens per minute',
  concurrent: 'concurrent requests',
};
/** A rule of thumb, used until the answer's usage replaces it. */
const CHARACTERS_A_TOKEN = 4;

/** Releases the part of the limits that a request holds. */
export type Release = (cost: Cost) => void;

/** A request that the limits admitted. */
export type Admitted = Pick<Admission, 'hold' | 'release'>;

/**
 * Counts a request before its run, and reports the remaining limits in OpenAI's headers. Call `release` when the run has ended, or when it has paused
 * and its caller does not wait for a decision, see {@link releasedAfter}.
 * @throws {SvcError} SVC-LIMIT-001, SVC-LIMIT-002, SVC-LIMIT-003
 */
export function admitRun(
  limits: RateLimits,
  principal: Principal,
  { protocol, request }: { readonly protocol: Protocol; readonly request: RequestBody },
  route: string,
  reply: FastifyReply,
): Admitted {
  return admit({ limits, principal, route, reply }, () =>
    protocol === CHAT ? promptTokens(request as ChatRequest) : tokensIn([protocol.readIn(request), request.tools]),
  );
}

/** The subjects whose limits apply, and the reply whose headers report the remaining limits. */
export interface Limited {
  readonly limits: RateLimits;
  readonly principal: Principal;
  /** Null: the request is not for a route. */
  readonly route: string | null;
  readonly reply: FastifyReply;
}

/**
 * Does work within the limits, but without a run. Charges the billed tokens, whether the work succeeds, fails or is aborted.
 * @param work receives a function that bills tokens
 * @throws {SvcError} SVC-LIMIT-001, SVC-LIMIT-002, SVC-LIMIT-003, and errors of `work`
 */
export async function withinLimits<T>(
  limited: Limited,
  prompt_tokens: () => number,
  work: (bill: (tokens: number) => void) => Promise<T>,
): Promise<T> {
  const { release } = admit(limited, prompt_tokens);
  let billed = 0;
  try {
    return await work((tokens) => {
      billed += tokens;
    });
  } finally {
    limited.limits.charge(countedFor(limited), billed);
    release('complete');
  }
}

function admit(limited: Limited, prompt_tokens: () => number): Admitted {
  const { limits, reply } = limited;
  const admission = limits.admit(countedFor(limited), prompt_tokens);
  const { refused, standing } = admission;
  reportLeft('requests', standing.requests, reply);
  reportLeft('tokens', standing.tokens, reply);
  if (refused === null) return admission;
  const { subject, unit, limit, retry_ms } = refused;
  const retry_after_s = Math.ceil(retry_ms / 1000);
  throw new SvcError(
    CODES[unit],
    `this ${subject} has reached its limit of ${limit} ${UNITS[unit]}; try again in ${retry_after_s} s`,
    {
      retry_after_s,
    },
  );
}

function countedFor({ principal: { principal_id, team, key_id }, route, reply }: Limited): Counted {
  const session = sessionName(principal_id, factsOf(reply.request).session);
  return { key: key_id, principal: principal_id, team, route, session };
}

/** The result that a caller waits for. When it arrives, releases the part of the limits that the request holds. */
export async function releasedAfter(begun: Promise<RunOutcome>, release: Release): Promise<RunOutcome> {
  let cost: Cost = 'complete';
  try {
    const outcome = await begun;
    cost = outcome.cost;
    return outcome;
  } catch (error) {
    if (isSvcError(error) && error.paid) cost = 'partial';
    throw error;
  } finally {
    release(cost);
  }
}

function reportLeft(unit: 'requests' | 'tokens', left: Left | null, reply: FastifyReply): void {
  if (left === null) return;
  reply.headers({
    [`x-ratelimit-limit-${unit}`]: left.limit,
    [`x-ratelimit-remaining-${unit}`]: left.remaining,
    [`x-ratelimit-reset-${unit}`]: durationText(left.reset_ms),
  });
}

/** A duration in OpenAI's form: `120ms`, `1.5s`, `6m0s`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${ms}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = (ms - minutes * 60_000) / 1000;
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}

type Asks = Pick<ChatRequest, 'messages'> & { readonly tools?: unknown; readonly input?: unknown };

/** Estimates the tokens of the texts and tools of a request, without images and other files. */
export function promptTokens({ messages, tools, input }: Asks): number {
  const texts = [...messages.flatMap(({ content, tool_calls }) => [...textsOf(content), JSON.stringify(tool_calls ?? '')])];
  return tokensOf([...texts, JSON.stringify(tools ?? ''), ...textsOf(input)]);
}

/** As {@link promptTokens}, for all texts in JSON. */
export function tokensIn(json: unknown): number {
  const texts: string[] = [];
  const take = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) take(member);
  };
  take(json);
  return tokensOf(texts);
}

/** As {@link promptTokens}, for texts only. */
export function tokensOf(texts: readonly string[]): number {
  return Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / CHARACTERS_A_TOKEN);
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) => {
    if (typeof part === 'string') return [part];
    return isObject(part) && typeof part.text === 'string' ? [part.text] : [];
  });
}
