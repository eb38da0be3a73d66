import type { ChatCompletion, ChatRequest, Segment, SegmentKind, SkippedPart } from '../contracts/index.ts';
import { isKnownField, isName, isStructural, isToolArguments, opaqueKind } from './fields.ts';
import { decodeArguments, plainText } from './tool-arguments.ts';

/** A place in a payload that holds text: what it says now, and how to change it. */
interface Leaf {
  text: string;
  readonly kind: SegmentKind;
  readonly path: string;
  /** Index of the message or choice that holds it; null outside of both. */
  readonly holder: number | null;
  readonly write: (text: string) => void;
}

/** All text of one request or answer, open to edits. Edits are written through to the payload. */
export interface Payload {
  readonly leaves: readonly Leaf[];
  readonly skipped: readonly SkippedPart[];
  /** Roles of the request's messages by index; null for an answer, whose holders are choices. */
  readonly roles: readonly string[] | null;
}

/**
 * Collects a request's text. The request is changed by later edits, and its tool-call arguments are written in one form at once.
 * @throws {ArgumentsTooDeep}
 */
export function collectRequest(request: ChatRequest): Payload {
  return collect(
    request,
    request.messages.map((message) => message.role),
  );
}

/** Collects an answer's text. See {@link collectRequest}. */
export function collectCompletion(completion: ChatCompletion): Payload {
  return collect(completion, null);
}

/** The leaves as a guard sees them. */
export function toSegments(payload: Payload, leaves: readonly Leaf[]): Segment[] {
  return leaves.map((leaf, index) => ({
    index,
    text: leaf.text,
    kind: leaf.kind,
    path: leaf.path,
    role: payload.roles === null ? 'assistant' : leaf.holder === null ? null : (payload.roles[leaf.holder] ?? null),
    choice: payload.roles === null ? leaf.holder : null,
  }));
}

/** `new`: leaves out messages up to and including the last assistant message. What stands outside the messages stays in. */
export function leavesInScope(payload: Payload, scope: 'all' | 'new'): readonly Leaf[] {
  const last = payload.roles?.lastIndexOf('assistant') ?? -1;
  if (scope === 'all' || last < 0) return payload.leaves;
  return payload.leaves.filter((leaf) => leaf.holder === null || leaf.holder > last);
}

interface Position {
  /** The path with `*` for indexes, as the field lists have it. */
  readonly pattern: string;
  /** The path as guards and events see it. */
  readonly path: string;
  readonly holder: number | null;
}

function collect(root: ChatRequest | ChatCompletion, roles: readonly string[] | null): Payload {
  const leaves: Leaf[] = [];
  const skipped: SkippedPart[] = [];

  const visitString = (text: string, at: Position, write: (text: string) => void): void => {
    if (isStructural(at.pattern, text)) return;
    if (isToolArguments(at.pattern)) {
      leaves.push(...argumentLeaves(text, at, write));
      return;
    }
    const opaque = opaqueKind(at.pattern, text);
    if (opaque !== null) skipped.push({ path: at.path, why: opaque.why });
    if (opaque?.readable === false) return;
    const kind = opaque !== null ? 'url' : isName(at.pattern) ? 'name' : 'text';
    leaves.push({ text, kind, path: at.path, holder: at.holder, write });
  };

  const visit = (value: unknown, at: Position, write: (text: string) => void): void => {
    if (typeof value === 'string') visitString(value, at, write);
    else for (const child of children(value, at)) visit(child.value, child.at, child.write);
  };

  visit(root, { pattern: '', path: '', holder: null }, () => undefined);
  return { leaves, skipped, roles };
}

/** Leaf by leaf where the arguments are JSON, else one text. Either way they are written in one form, and edits after it. */
function argumentLeaves(text: string, { path, holder }: Position, write: (text: string) => void): Leaf[] {
  const decoded = decodeArguments(text);
  if (decoded === null) {
    const shown = plainText(text);
    write(shown);
    return [{ text: shown, kind: 'text', path, holder, write }];
  }
  write(decoded.encode());
  return decoded.leaves.map((leaf) => ({
    text: leaf.text,
    kind: leaf.kind,
    path: [path, ...leaf.path].join('.'),
    holder,
    write: (changed) => {
      leaf.text = changed;
      write(decoded.encode());
    },
  }));
}

interface Child {
  value: unknown;
  at: Position;
  write: (text: string) => void;
}

function children(value: unknown, at: Position): Child[] {
  if (Array.isArray(value)) {
    return value.map((item, i) => ({
      value: item,
      at: { pattern: step(at.pattern, '*'), path: step(at.path, i), holder: at.holder ?? holderAt(at.pattern, i) },
      write: (text) => {
        value[i] = text;
      },
    }));
  }
  if (typeof value !== 'object' || value === null) return [];
  const object = value as Record<string, unknown>;
  return Object.entries(object).map(([key, member], i) => {
    const known = isKnownField(key);
    return {
      value: member,
      at: { pattern: step(at.pattern, known ? key : '?'), path: step(at.path, known ? key : i), holder: at.holder },
      write: (text) => {
        object[key] = text;
      },
    };
  });
}

function holderAt(pattern: string, index: number): number | null {
  return pattern === 'messages' || pattern === 'choices' ? index : null;
}

function step(path: string, part: string | number): string {
  return path === '' ? String(part) : `${path}.${part}`;
}
