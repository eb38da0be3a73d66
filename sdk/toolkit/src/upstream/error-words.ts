import { isObject, type JsonObject, type JsonValue } from '@svc/contracts';

/** So much of a sentence is looked at. */
const MAX_TEXT = 8_192;

/** Errors that a gateway before us wrapped are unwrapped this far. */
const MAX_DEPTH = 8;

/** No longer text is looked into for an error. */
const MAX_NESTED = 65_536;

/** What an upstream's error says: its objects, outermost first, and its sentences. Both are for reading only: sentences may quote the caller. */
export interface ErrorWords {
  readonly objects: readonly JsonObject[];
  readonly texts: readonly string[];
}

/** Fields that hold the sentence of an error, or the error that was wrapped. */
const FIELDS = ['error', 'message', 'detail', 'msg', 'raw', 'metadata', 'response'] as const;

/** @param body what an upstream sent in place of an answer, as JSON or as it came */
export function wordsOf(body: JsonValue | undefined): ErrorWords {
  const words = { objects: [] as JsonObject[], texts: [] as string[] };
  gather(body, words, 0);
  return words;
}

function gather(value: JsonValue | undefined, words: { objects: JsonObject[]; texts: string[] }, depth: number): void {
  // Google wraps its errors into a list.
  const first = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'string') {
    const nested = depth < MAX_DEPTH ? objectIn(first) : undefined;
    if (nested === undefined) words.texts.push(first.slice(0, MAX_TEXT));
    else gather(nested, words, depth + 1);
  } else if (isObject(first) && depth <= MAX_DEPTH) {
    words.objects.push(first);
    for (const name of FIELDS) gather(first[name], words, depth + 1);
  }
}

/** Some put an error into an error as text. */
function objectIn(text: string): JsonValue | undefined {
  if (text.length > MAX_NESTED || !/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
