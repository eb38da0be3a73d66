/** A visitor's quota, from the gateway's RateLimit header fields. */
export interface Quota {
  readonly remaining: number;
  /** Null if not reported. */
  readonly limit: number | null;
  /** Seconds until the quota resets; null if not reported. */
  readonly reset_s: number | null;
}

/**
 * Reads `RateLimit-Limit`, `-Remaining` and `-Reset` (draft-ietf-httpapi-ratelimit-headers-03).
 * @returns null if the gateway has no quota
 */
export function quotaOf(headers: Pick<Headers, 'get'>): Quota | null {
  const remaining = whole(headers.get('ratelimit-remaining'));
  if (remaining === null) return null;
  return { remaining, limit: whole(headers.get('ratelimit-limit')), reset_s: whole(headers.get('ratelimit-reset')) };
}

export function quotaText({ remaining, limit, reset_s }: Quota): string {
  const left = limit === null ? `${remaining} messages left` : `${remaining} of ${limit} messages left`;
  return reset_s === null ? left : `${left}, resets in ${reset_s} s`;
}

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
