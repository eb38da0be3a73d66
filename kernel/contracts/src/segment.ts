/**
 * The kind of a segment, so that a guard can choose what to check:
 * - `text`: message content, and any other string.
 * - `name`: the name of a participant or tool.
 * - `argument`: a value in decoded JSON, such as the arguments of a tool call or the result of a tool.
 * - `key`: a key of such JSON, or a key that a caller chose.
 * - `url`: a link to an image or file.
 * - `id`: the id of a tool call or of something stored. If a guard edits the id of a tool call, the gateway gives the call and its result a new id.
 * Numbers are `argument` or `text`, depending on where they are. Only guards with `reads_numbers` see them.
 */
export type SegmentKind = 'text' | 'name' | 'argument' | 'key' | 'url' | 'id';

/**
 * Where a text comes from:
 * - `request`: a parameter or a tool definition that the caller sent, outside of the messages.
 * - `system`, `user`, `assistant`: what one of them said. Answers and the arguments of tool calls are the assistant's.
 * - `retrieved`: context that a guard added to the request, such as documents of a RAG namespace.
 * - `tool`: the result of a tool, including tools of vendors and MCP servers.
 * - `document`: a document, file or search result in a message, or a citation of one.
 * - `unknown`: the protocol does not describe the place. Always untrusted.
 * If several apply, the last one counts.
 */
export const TEXT_ORIGINS = ['request', 'system', 'user', 'assistant', 'retrieved', 'tool', 'document', 'unknown'] as const;
export type TextOrigin = (typeof TEXT_ORIGINS)[number];

/** The origin that counts if both apply. Null: nothing is known. */
export function strictestOrigin(one: TextOrigin | null, other: TextOrigin | null): TextOrigin | null {
  if (one === null || other === null || one === other) return one ?? other;
  return TEXT_ORIGINS.indexOf(one) < TEXT_ORIGINS.indexOf(other) ? other : one;
}

/** One string or number of a request or an answer. */
export interface Segment {
  /** Position in the array given to the guard; edits refer to it. */
  readonly index: number;
  readonly text: string;
  readonly kind: SegmentKind;
  /** Role of the message that contains the segment. `assistant` for an answer; null for parts of a request outside the messages. */
  readonly role: string | null;
  /** The segment's path of known field names and numbers, such as `messages.0.content.1.text`. A key that a caller chose appears as a number. */
  readonly path: string;
  /** Index of the answer's choice; null for a request. */
  readonly choice: number | null;
  /** Whether the text is a model's thinking. Absent: it is not, or this is not known. */
  readonly is_thinking?: true;
  readonly origin: TextOrigin;
  /** Whether the route does not trust texts of this origin, so that stricter thresholds apply. */
  readonly untrusted: boolean;
}

/** Replaces `[start, end)` of a segment. Offsets are UTF-16 code units of the segment's text as the guard saw it. */
export interface Edit {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/**
 * Something that no guard can read, and where it is. It is an image, audio, the bytes of a file, a value that only a model's vendor can read
 * (`opaque`, such as a signature of thinking), or the gateway's own encrypted form of such a value (`handle`).
 */
export interface SkippedPart {
  readonly path: string;
  readonly why: 'image' | 'audio' | 'file' | 'opaque' | 'handle';
}
