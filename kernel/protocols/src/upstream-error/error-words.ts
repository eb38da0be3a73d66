import { isObject, type JsonObject, type JsonValue } from '@svc/contracts';

/** Maximum number of characters of a message that are searched. */
const MAX_TEXT = 8_192;

/** Maximum number of levels to unwrap. Other gateways wrap errors in errors. */
const MAX_DEPTH = 12;

/** Longer bodies are not searched for an error. */
const MAX_NESTED = 65_536;

/** Matches the keys before an error's message, in truncated JSON or in Python's notation. */
const BEFORE_MESSAGE = `\\{\\s?(?:["'](?:type|error|object|code|param|status)["']:\\s?(?:["']\\w{0,60}["'],\\s?|\\d{1,6},\\s?|None,\\s?|null,\\s?|\\{\\s?)){0,8}["']message["']:\\s?["']`;

/** Matches the text that SDKs and gateways put before an error that they wrap. */
const WRAPPER = new RegExp(
  `^\\s*(?:${[
    'Error code: \\d{3} - ',
    '(?:HTTP )?\\d{3}(?: [A-Z][a-z]{1,20}){0,4}(?::| -) ',
    '\\d{3} (?=[A-Z{])',
    'An error occurred \\(\\w{1,60}\\) when calling the \\w{1,60} operation[^:]{0,60}: ',
    'The model returned the following errors: ',
    "b'(?=\\{)",
    BEFORE_MESSAGE,
    '(?:\\w{1,40}\\.){0,4}(?<name>\\w{0,60}(?:Error|Exception))(?::| -|(?= \\w{1,60}(?:Error|Exception)\\b))\\s+',
  ].join('|')})`,
);

/**
 * The contents of an upstream's error: its objects (outermost first), the class names before its messages, and the messages. Use them only to
 * classify the error, because messages may quote the caller.
 */
export interface ErrorWords {
  readonly objects: readonly JsonObject[];
  readonly classes: readonly string[];
  readonly texts: readonly string[];
}

type Gathered = { readonly [name in keyof ErrorWords]: ErrorWords[name][number][] };

/** Fields that contain an error's message, or a wrapped error. */
const FIELDS = ['error', 'message', 'detail', 'msg', 'raw', 'metadata', 'response'] as const;

/** @param body the upstream's response instead of an answer: parsed JSON or raw text */
export function wordsOf(body: JsonValue | undefined): ErrorWords {
  const words: Gathered = { objects: [], classes: [], texts: [] };
  gather(body, words, 0);
  return words;
}

function gather(value: JsonValue | undefined, words: Gathered, depth: number): void {
  // Google wraps errors in a list.
  const first = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'string') gatherText(first, words, depth);
  else if (isObject(first) && depth <= MAX_DEPTH) {
    words.objects.push(first);
    for (const name of FIELDS) gather(first[name], words, depth + 1);
  }
}

function gatherText(text: string, words: Gathered, depth: number): void {
  const nested = depth < MAX_DEPTH ? objectIn(text) : undefined;
  if (nested !== undefined) {
    gather(nested, words, depth + 1);
    return;
  }
  const found = depth < MAX_DEPTH ? WRAPPER.exec(text) : null;
  if (found === null) {
    words.texts.push(text.slice(0, MAX_TEXT));
    return;
  }
  if (found.groups?.name !== undefined) words.classes.push(found.groups.name);
  gatherText(text.slice(found[0].length), words, depth + 1);
}

/** Some upstreams embed an error as text in another one, with further words after it. */
function objectIn(text: string): JsonValue | undefined {
  const begin = /^\s*[{[]/.exec(text)?.[0];
  if (text.length > MAX_NESTED || begin === undefined) return undefined;
  try {
    return JSON.parse(text.slice(0, text.lastIndexOf(begin.endsWith('{') ? '}' : ']') + 1));
  } catch {
    return undefined;
  }
}
