/** What the gateway's RateLimit header fields tell of a visitor's quota. */
export interface Quota {
  readonly remaining: number;
  /** Null where it was not told. */
  readonly limit: number | null;
  /** Seconds until there is more; null where it was not told. */
  readonly reset_s: number | null;
}

/**
 * Reads `RateLimit: "name";r=29;t=30` with `RateLimit-Policy: "name";q=30;w=60`, or the older `RateLimit-Remaining`, `-Limit` and `-Reset`.
 * @returns null where the gateway tells of no quota
 */
export function quotaOf(headers: Pick<Headers, 'get'>): Quota | null {
  const told = headers.get('ratelimit') ?? '';
  const remaining = whole(headers.get('ratelimit-remaining')) ?? parameter(told, 'r');
  if (remaining === null) return null;
  return {
    remaining,
    limit: whole(headers.get('ratelimit-limit')) ?? parameter(headers.get('ratelimit-policy') ?? '', 'q'),
    reset_s: whole(headers.get('ratelimit-reset')) ?? parameter(told, 't'),
  };
}

export function quotaText({ remaining, limit, reset_s }: Quota): string {
  const left = limit === null ? `${remaining} questions left` : `${remaining} of ${limit} questions left`;
  return reset_s === null ? left : `${left}, more in ${reset_s} s`;
}

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function parameter(field: string, name: string): number | null {
  return whole(new RegExp(`;\\s*${name}=(\\d+)`).exec(field)?.[1] ?? null);
}
