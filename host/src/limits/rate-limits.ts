import type { Clock, Cost } from '@svc/contracts';
import type { RunReport } from '@svc/kernel/observing';
import { TokenBucket } from './token-bucket.ts';

export const SUBJECTS = ['key', 'principal', 'team', 'route', 'session'] as const;
export type Subject = (typeof SUBJECTS)[number];

/** Limits of one key, principal, team or route, or of each session. Null: no limit. */
export interface RateLimit {
  readonly subject: Subject;
  /** `*`: each name that has no limit of its own. */
  readonly name: string;
  readonly requests_per_minute: number | null;
  readonly tokens_per_minute: number | null;
  readonly concurrent: number | null;
}

/** The name of a session as a subject, or null. An id contains no space, so sessions of different principals cannot be confused. */
export function sessionName(principal_id: string, session: string | null): string | null {
  return session === null ? null : `${session} ${principal_id}`;
}

/** The subjects that a request counts towards. Null: none of that kind. */
export type Counted = Readonly<Record<Subject, string | null>>;

/** The remaining amount of one kind of limit, for the tightest limit that applies. */
export interface Left {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the whole amount is available again. */
  readonly reset_ms: number;
}

export interface Standing {
  /** Null: no such limit applies. */
  readonly requests: Left | null;
  readonly tokens: Left | null;
}

/** The limit that refused a request. Nothing was charged. */
export interface Refusal {
  readonly subject: Subject;
  readonly unit: 'requests' | 'tokens' | 'concurrent';
  readonly limit: number;
  readonly retry_ms: number;
}

export interface Admission {
  readonly refused: Refusal | null;
  readonly standing: Standing;
  /**
   * Reserves more for a prompt that turned out to be longer after admission.
   * @param prompt_tokens as for {@link RateLimits.admit}
   */
  hold(prompt_tokens: () => number): void;
  /** Call this once, when the request has ended. `partial`: the estimate stays charged, because the usage of a call is unknown. */
  release(cost: Cost): void;
}

/** Usage of one subject. */
interface Meter {
  readonly subject: Subject;
  requests: TokenBucket | null;
  tokens: TokenBucket | null;
  concurrent: number | null;
  running: number;
}

const nothing = (): void => undefined;
const UNLIMITED: Admission = { refused: null, standing: { requests: null, tokens: null }, hold: nothing, release: nothing };
/** After an idle minute, a bucket is full again. When there are more meters than this, full ones are removed. */
const MAX_IDLE = 10_000;
/** How long it takes until a place is free is not known, so this is a guess. */
const CONCURRENT_RETRY_MS = 1_000;

/**
 * Limits requests per minute, tokens per minute and concurrent requests of keys, principals, teams, routes and sessions, counted in this process.
 * When a run has ended or paused, the tokens that its provider reported are charged. Until then, a request reserves an estimate of its prompt. If the
 * usage of a call remains unknown, the estimate is charged.
 */
export class RateLimits {
  readonly #clock: Clock;
  #limits: ReadonlyMap<string, RateLimit>;
  readonly #meters = new Map<string, Meter>();
  #sweepAt = MAX_IDLE;

  constructor(limits: readonly RateLimit[], clock: Clock) {
    this.#clock = clock;
    this.#limits = byName(limits);
  }

  /** Replaces the limits. Usage of unchanged limits still counts, and so do requests in progress. */
  replace(limits: readonly RateLimit[]): void {
    this.#limits = byName(limits);
  }

  /**
   * Admits a request unless a limit is used up.
   * @param prompt_tokens called only if a token limit applies
   */
  admit(counted: Counted, prompt_tokens: () => number): Admission {
    if (this.#limits.size === 0) return UNLIMITED;
    const now = this.#clock.monotonic();
    const meters = this.#metersOf(counted, now);
    const refused = meters.map((meter) => refusalOf(meter, now)).find((refusal) => refusal !== null) ?? null;
    if (refused !== null) return { refused, standing: standingOf(meters, now), hold: nothing, release: nothing };
    // Tokens are released to the meters that they were taken from, because a limit may be replaced in the meantime.
    const held = meters.flatMap(({ tokens }) => tokens ?? []);
    for (const meter of meters) {
      meter.running += 1;
      meter.requests?.take(1, now);
    }
    let estimate = 0;
    const hold = (of: () => number): void => {
      if (held.length === 0) return;
      const more = of();
      estimate += more;
      for (const tokens of held) tokens.take(more, this.#clock.monotonic());
    };
    hold(prompt_tokens);
    return {
      refused: null,
      standing: standingOf(meters, now),
      hold,
      release: (cost) => {
        const then = this.#clock.monotonic();
        for (const meter of meters) meter.running -= 1;
        if (cost === 'partial') return;
        for (const tokens of held) tokens.take(-estimate, then);
      },
    };
  }

  /** Charges the tokens of a run, whoever started it, even if no caller waits for it. */
  readonly settled = ({ route, caller, calls }: RunReport): void => {
    const used = calls.reduce((sum, { usage }) => sum + (usage === null ? 0 : usage.input_tokens + usage.output_tokens), 0);
    const { principal_id, team, key_id, session } = caller;
    this.charge({ key: key_id, principal: principal_id, team, route, session: sessionName(principal_id, session) }, used);
  };

  /** Charges tokens, even beyond the limit. */
  charge(counted: Counted, used: number): void {
    if (this.#limits.size === 0 || used === 0) return;
    const now = this.#clock.monotonic();
    for (const { tokens } of this.#metersOf(counted, now)) tokens?.take(used, now);
  }

  #metersOf(counted: Counted, now: number): Meter[] {
    return SUBJECTS.flatMap((subject) => {
      const name = counted[subject];
      const limit = name === null ? undefined : (this.#limits.get(keyOf(subject, name)) ?? this.#limits.get(keyOf(subject, '*')));
      return name === null || limit === undefined ? [] : [this.#meter(name, limit, now)];
    });
  }

  #meter(name: string, { subject, requests_per_minute, tokens_per_minute, concurrent }: RateLimit, now: number): Meter {
    const key = keyOf(subject, name);
    if (!this.#meters.has(key) && this.#meters.size >= this.#sweepAt) this.#sweep(now);
    const known = this.#meters.get(key);
    const meter = known ?? { subject, requests: null, tokens: null, concurrent, running: 0 };
    meter.requests = bucketOf(requests_per_minute, meter.requests, now);
    meter.tokens = bucketOf(tokens_per_minute, meter.tokens, now);
    meter.concurrent = concurrent;
    if (known === undefined) this.#meters.set(key, meter);
    return meter;
  }

  #sweep(now: number): void {
    const isFull = (bucket: TokenBucket | null): boolean => bucket === null || bucket.level(now) >= bucket.capacity;
    for (const [key, { running, requests, tokens }] of this.#meters) {
      if (running === 0 && isFull(requests) && isFull(tokens)) this.#meters.delete(key);
    }
    this.#sweepAt = Math.max(MAX_IDLE, 2 * this.#meters.size);
  }
}

function byName(limits: readonly RateLimit[]): ReadonlyMap<string, RateLimit> {
  return new Map(limits.map((limit) => [keyOf(limit.subject, limit.name), limit]));
}

/** The current bucket, unless the limit has changed. */
function bucketOf(per_minute: number | null, known: TokenBucket | null, now: number): TokenBucket | null {
  if (per_minute === null) return null;
  return known?.capacity === per_minute ? known : new TokenBucket(per_minute, now);
}

/** The subject's kind comes first and contains no slash, so names of different kinds cannot collide. */
function keyOf(subject: Subject, name: string): string {
  return `${subject}/${name}`;
}

function refusalOf({ subject, requests, tokens, concurrent, running }: Meter, now: number): Refusal | null {
  if (concurrent !== null && running >= concurrent)
    return { subject, unit: 'concurrent', limit: concurrent, retry_ms: CONCURRENT_RETRY_MS };
  for (const [unit, bucket] of [
    ['requests', requests],
    ['tokens', tokens],
  ] as const) {
    const retry_ms = bucket?.msUntil(1, now) ?? 0;
    if (bucket !== null && retry_ms > 0) return { subject, unit, limit: bucket.capacity, retry_ms };
  }
  return null;
}

function standingOf(meters: readonly Meter[], now: number): Standing {
  return {
    requests: tightest(
      meters.map(({ requests }) => requests),
      now,
    ),
    tokens: tightest(
      meters.map(({ tokens }) => tokens),
      now,
    ),
  };
}

function tightest(buckets: readonly (TokenBucket | null)[], now: number): Left | null {
  const left = buckets
    .filter((bucket) => bucket !== null)
    .map((bucket) => ({
      limit: bucket.capacity,
      remaining: Math.max(0, Math.floor(bucket.level(now))),
      reset_ms: bucket.msUntil(bucket.capacity, now),
    }));
  return left.toSorted((a, b) => a.remaining - b.remaining)[0] ?? null;
}
