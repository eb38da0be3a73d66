import type { Endpoint, FieldTable, RequestBody } from '@svc/contracts';
import type { OpaqueHandles } from '../content/opaque-handles.ts';
import { type FieldPattern, rootPattern } from '../texts/field-pattern.ts';
import { concealed, revealed } from '../texts/opaque-values.ts';

/**
 * Maximum number of values that are encrypted in one answer, or decrypted in one request. Each takes about ten microseconds. An agent's conversation
 * has one value for each turn with thinking.
 */
const MAX_VALUES = 1_000;

/** The properties of a run to which its handles are bound. */
interface Owner {
  readonly principal_id: string;
  readonly route: { readonly name: string; readonly egress: readonly { readonly mode: string }[]; readonly unscannable: string };
}

/**
 * The request with its handles decrypted, and without marks of origin. `lost`: paths of handles that were removed. Handles of another route, model or principal are never
 * decrypted.
 */
export function withRevealed<T extends RequestBody>(
  request: T,
  table: FieldTable,
  { principal_id, route }: Pick<Owner, 'principal_id'> & { readonly route: { readonly name: string } },
  { model, provider }: Endpoint,
  handles: OpaqueHandles,
): { readonly request: T; readonly lost: readonly string[] } {
  const owner = { principal_id, provider, model, route: route.name };
  const reveal = bounded((handle) => handles.open(handle, owner));
  const lost = new Set<string>();
  const gone = (place: string): void => void lost.add(place.replaceAll('.*', ''));
  return { request: revealed(request, rootPattern(table), reveal, gone), lost: [...lost] };
}

/** Replaces values that no guard can read with handles. */
export interface Concealing {
  /** Replaces every such value in a body, or in a part of one. */
  all<T>(value: T, pattern: FieldPattern): T;
  /** The handle for one value. `fields` contains the value and, if it is a signature, the signed texts. Null: the value is removed. */
  one(fields: Readonly<Record<string, string>>): string | null;
}

/** Conceals the values in this provider's answers. Null if no guard enforces anything: the answer is then left unchanged. */
export function concealing(
  { principal_id, route }: Owner,
  { provider, model }: Endpoint,
  handles: OpaqueHandles,
): Concealing | null {
  const isGuarded = route.egress.some(({ mode }) => mode === 'enforce') || route.unscannable !== 'pass';
  if (!isGuarded) return null;
  const owner = { principal_id, provider, model, route: route.name };
  const conceal = bounded((fields) => handles.make(owner, fields));
  return {
    all: (value, pattern) => concealed(value, pattern, conceal),
    one: (fields) => conceal(JSON.stringify(fields)),
  };
}

/** Returns null for every value beyond the maximum. */
function bounded(change: (value: string) => string | null): (value: string) => string | null {
  let changed = 0;
  return (value) => {
    changed += 1;
    return changed > MAX_VALUES ? null : change(value);
  };
}
