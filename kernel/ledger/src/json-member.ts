const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const ARRAY = 0x5b;
const ARRAY_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/**
 * The text of a member of a JSON object, cut out without parsing it: wherever it is among the others, whatever they hold. For canonical JSON:
 * no white space between, and a name is written in one way. Null where there is none, or the object does not end with the text.
 */
export function memberText(json: string, name: string): string | null {
  const wanted = JSON.stringify(name);
  let found: string | null = null;
  let at = json.charCodeAt(0) === OBJECT ? 1 : -1;
  while (json.charCodeAt(at) === QUOTE) {
    const colon = endOfString(json, at);
    if (json.charCodeAt(colon) !== COLON) return null;
    const end = endOfValue(json, colon + 1);
    if (end === -1) return null;
    if (colon - at === wanted.length && json.startsWith(wanted, at)) found = json.slice(colon + 1, end);
    if (json.charCodeAt(end) === OBJECT_END) return end === json.length - 1 ? found : null;
    if (json.charCodeAt(end) !== COMMA) return null;
    at = end + 1;
  }
  return null;
}

/** Where the value that begins at `at` is over; -1 if it is not. */
function endOfValue(json: string, at: number): number {
  const first = json.charCodeAt(at);
  if (first === QUOTE) return endOfString(json, at);
  if (first === OBJECT || first === ARRAY) return endOfGroup(json, at);
  let end = at;
  while (end < json.length && !isEnd(json.charCodeAt(end))) end += 1;
  return end === at || end === json.length ? -1 : end;
}

function isEnd(code: number): boolean {
  return code === COMMA || code === OBJECT_END || code === ARRAY_END;
}

/** Of an object or an array with all that is in it. */
function endOfGroup(json: string, from: number): number {
  let depth = 0;
  for (let at = from; at !== -1 && at < json.length; ) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(json, at);
      continue;
    }
    at += 1;
    if (code === OBJECT || code === ARRAY) depth += 1;
    else if (code === OBJECT_END || code === ARRAY_END) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** Of a string, with its quotes. */
function endOfString(json: string, from: number): number {
  for (let quote = json.indexOf('"', from + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    // An even number of them are pairs, which escape each other.
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return -1;
}
