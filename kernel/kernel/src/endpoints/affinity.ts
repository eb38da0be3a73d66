import { hash } from 'node:crypto';
import { isObject, type Protocol, type RequestBody } from '@svc/contracts';

/** What decides which weighted endpoint requests stick to: the prompt cache that they name, their principal, or nothing. */
export type Affinity = 'cache' | 'principal' | 'none';

interface AffinityRequest {
  readonly route: { readonly affinity: Affinity; readonly endpoints: readonly { readonly weight: number | null }[] };
  readonly principal_id: string;
  readonly protocol: Protocol;
  readonly request: RequestBody;
  /** Not null for an embeddings request. */
  readonly embedding: unknown;
}

/**
 * A key shared by requests that should reach the same endpoint, because its vendor has cached their common prefix. SHA-256 of the principal and the
 * named cache. Null if nothing ties the requests together, or if there is no choice of endpoints.
 */
export function affinityKey({ route, principal_id, protocol, request, embedding }: AffinityRequest): string | null {
  const { affinity, endpoints } = route;
  if (embedding !== null || affinity === 'none' || endpoints.length < 2) return null;
  if (endpoints.filter(({ weight }) => weight !== null).length < 2) return null;
  const cache = namedCache(request) ?? cachedPrefix(protocol, request);
  if (cache === null && affinity === 'cache') return null;
  return hash('sha256', JSON.stringify([principal_id, cache]));
}

function namedCache({ prompt_cache_key: key }: RequestBody): string | null {
  return typeof key === 'string' && key !== '' ? key : null;
}

/**
 * The prefix of a request with cache marks (`cache_control`): its tools and system texts up to the last mark in them. Marks in later turns move as
 * the conversation grows, so if there are no others, the prefix ends with the first marked turn.
 */
function cachedPrefix(protocol: Protocol, request: RequestBody): string | null {
  const turns = protocol.turnsOf(request);
  const begun = protocol.rolesOf(request).findIndex((role) => role !== 'system');
  const [before, after] = begun === -1 ? [turns, []] : [turns.slice(0, begun), turns.slice(begun)];
  const head = [...listOf(request.tools), ...listOf(request.system), ...before];
  const marked = head.findLastIndex(isMarked);
  if (marked !== -1) return plain(head.slice(0, marked + 1));
  return isMarked({ ...request, content: after }) ? plain([...head, ...after.slice(0, 1).map(upToMark)]) : null;
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function isMarked(value: unknown): boolean {
  return isObject(value) && (isObject(value.cache_control) || (Array.isArray(value.content) && value.content.some(isMarked)));
}

function upToMark(turn: unknown): unknown {
  if (!isObject(turn)) return turn;
  const parts = listOf(turn.content);
  const marked = parts.findLastIndex(isMarked);
  return marked === -1 ? turn : { ...turn, content: parts.slice(0, marked + 1) };
}

/** The pieces without their marks. A plain text is treated as a single part. */
function plain(pieces: readonly unknown[]): string {
  return JSON.stringify(pieces, (name, value: unknown) => {
    if (name === 'cache_control') return undefined;
    return name === 'content' && typeof value === 'string' ? [{ type: 'text', text: value }] : value;
  });
}
