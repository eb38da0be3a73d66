/** A ledger record as it was served, and what its own members say. */
export interface ReadRecord {
  readonly raw: string;
  readonly seq: number;
  readonly prev_hash: string;
  readonly hash: string;
  readonly content: Readonly<Record<string, unknown>>;
  /** What `hash` is of: the record's canonical JSON without it. */
  readonly hashed: string;
}

/** `prev_hash` of the first record. */
export const GENESIS = 'genesis';

const encoder = new TextEncoder();

/** RFC 8785: keys sorted, no white space, numbers and strings as JavaScript writes them. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return objectOf(members(value));
}

/** The members of an object as canonical JSON, by their keys and in their order. */
function members(value: object): [key: string, text: string][] {
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => [key, `${JSON.stringify(key)}:${canonical(member)}`]);
}

/** Null where the text is not the canonical JSON of a record: then no hash says anything about it. */
export function readRecord(raw: string): ReadRecord | null {
  try {
    const content: unknown = JSON.parse(raw);
    if (typeof content !== 'object' || content === null || Array.isArray(content)) return null;
    const { seq, prev_hash, hash } = content as Record<string, unknown>;
    if (typeof seq !== 'number' || typeof prev_hash !== 'string' || typeof hash !== 'string') return null;
    const parts = members(content);
    if (objectOf(parts) !== raw) return null;
    return { raw, seq, prev_hash, hash, content: { ...content }, hashed: objectOf(parts.filter(([key]) => key !== 'hash')) };
  } catch {
    return null;
  }
}

function objectOf(parts: readonly (readonly [key: string, text: string])[]): string {
  return `{${parts.map(([, text]) => text).join(',')}}`;
}

/** `sha256:` and hex. */
export async function hashOf(text: string): Promise<string> {
  return `sha256:${hex(await sha256(encoder.encode(text)))}`;
}

/** A record with other members, and the hash that then is right. */
export async function resealed(content: ReadRecord['content'], changes: Readonly<Record<string, unknown>>): Promise<string> {
  const { hash: _, ...changed } = { ...content, ...changes };
  return canonical({ ...changed, hash: await hashOf(canonical(changed)) });
}

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
