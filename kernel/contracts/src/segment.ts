/**
 * What a segment is, so that a guard can choose: `text` (message content, any other string), `name` (names of participants and tools),
 * `argument` (a leaf of decoded JSON: the arguments or the input of a tool call, the result of a tool), `key` (a key of such JSON, or one that a
 * caller chose), `url` (a link to an image or file), `id` (of a tool call or something stored; an edit of a tool call's id gives its call and
 * result a new one of the gateway's). Numbers are `argument` or `text` by their place, and shown only to guards that say `reads_numbers`.
 */
export type SegmentKind = 'text' | 'name' | 'argument' | 'key' | 'url' | 'id';

/** One string or number of a request or an answer. */
export interface Segment {
  /** Position in the array given to the guard; edits refer to it. */
  readonly index: number;
  readonly text: string;
  readonly kind: SegmentKind;
  /** Role of the message that holds it, `assistant` for an answer, null for parts of a request outside the messages. */
  readonly role: string | null;
  /** Its path of known field names and numbers, such as `messages.0.content.1.text`. Keys chosen by callers appear as numbers. */
  readonly path: string;
  /** Index of the answer's choice; null for a request. */
  readonly choice: number | null;
  /** Whether the text is a model's thinking. Absent: no, or unknown. */
  readonly is_thinking?: true;
}

/** Replaces `[start, end)` of a segment. Offsets are UTF-16 code units of the segment's text as the guard saw it. */
export interface Edit {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/**
 * Something that no guard can read, and where: an image, audio, a file's bytes, a value that only a model's vendor can read (`opaque`, such as a
 * signature of thinking), or the gateway's own encrypted form of such a value (`handle`).
 */
export interface SkippedPart {
  readonly path: string;
  readonly why: 'image' | 'audio' | 'file' | 'opaque' | 'handle';
}
