/** JSON.rawJSON and the reviver's source text (ES2026), which TypeScript's es2024 library does not declare. */
interface RawJson {
  readonly rawJSON: string;
}
const json = JSON as typeof JSON & {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

/** A leaf of decoded arguments: its text now, whether it is a key, and its path as positions. */
export interface ArgumentLeaf {
  readonly kind: 'argument' | 'key';
  readonly path: readonly number[];
  text: string;
}

type Node =
  | { kind: 'leaf'; leaf: ArgumentLeaf; written: string; quoted: boolean }
  | { kind: 'array'; items: Node[] }
  | { kind: 'object'; entries: { key: ArgumentLeaf; value: Node }[] }
  | { kind: 'constant'; text: string };

/** Deeper than any tool's arguments; recursion over them stays far from the end of the stack. */
const MOST_LEVELS = 64;

/** Arguments that cannot be looked at leaf by leaf, and must not pass as a text that hides what it says in escapes. */
export class ArgumentsTooDeep extends Error {
  override readonly name = 'ArgumentsTooDeep';
}

/**
 * Decodes a tool call's arguments into leaves that can be edited, and writes them again as JSON. Numbers keep the digits they were
 * written with; an edited number becomes a string. Of a key that is given twice only the last value survives, so that no value
 * reaches a tool unseen.
 * @returns null where the text is not JSON: it is then one text, see {@link plainText}
 * @throws {ArgumentsTooDeep} for JSON of more than 64 levels
 */
export function decodeArguments(text: string): { leaves: ArgumentLeaf[]; encode(): string } | null {
  if (levelsOf(text) > MOST_LEVELS) throw new ArgumentsTooDeep();
  let value: unknown;
  try {
    value = JSON.parse(text, (_key, leaf: unknown, ...[context]: { source?: string }[]) =>
      typeof leaf === 'number' && context?.source !== undefined ? json.rawJSON(context.source) : leaf,
    );
  } catch {
    return null;
  }
  const leaves: ArgumentLeaf[] = [];
  const root = build(value, [], leaves);
  return { leaves, encode: () => write(root) };
}

/** Torn JSON with its `\\uXXXX` escapes written as the characters they stand for, so that a guard sees what a reader of it would. */
export function plainText(torn: string): string {
  return torn.replace(/(\\\\)|\\u([0-9a-fA-F]{4})/g, (written, backslashes: string | undefined, hex: string | undefined) => {
    const character = backslashes === undefined ? String.fromCharCode(Number.parseInt(hex ?? '', 16)) : written;
    return /[\p{Cc}\p{Cs}"\\]/u.test(character) ? written : character;
  });
}

/** Levels of nesting, told from the brackets outside of strings. A loop, since a pattern would keep state for each character. */
function levelsOf(text: string): number {
  let level = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (inString && character === '\\') i += 1;
    else if (character === '"') inString = !inString;
    else if (!inString && (character === '[' || character === '{')) deepest = Math.max(deepest, ++level);
    else if (!inString && (character === ']' || character === '}')) level -= 1;
  }
  return deepest;
}

function build(value: unknown, path: readonly number[], leaves: ArgumentLeaf[]): Node {
  const leafOf = (kind: ArgumentLeaf['kind'], text: string): ArgumentLeaf => {
    const leaf = { kind, path, text };
    leaves.push(leaf);
    return leaf;
  };
  if (typeof value === 'string') return { kind: 'leaf', leaf: leafOf('argument', value), written: value, quoted: true };
  if (json.isRawJSON(value))
    return { kind: 'leaf', leaf: leafOf('argument', value.rawJSON), written: value.rawJSON, quoted: false };
  if (Array.isArray(value)) return { kind: 'array', items: value.map((item, i) => build(item, [...path, i], leaves)) };
  if (typeof value !== 'object' || value === null) return { kind: 'constant', text: String(value) };
  const entries = Object.entries(value).map(([key, member], i) => {
    const leaf: ArgumentLeaf = { kind: 'key', path: [...path, i], text: key };
    leaves.push(leaf);
    return { key: leaf, value: build(member, [...path, i], leaves) };
  });
  return { kind: 'object', entries };
}

function write(node: Node): string {
  switch (node.kind) {
    case 'constant':
      return node.text;
    case 'leaf':
      return !node.quoted && node.leaf.text === node.written ? node.written : JSON.stringify(node.leaf.text);
    case 'array':
      return `[${node.items.map(write).join(',')}]`;
    case 'object':
      return `{${node.entries.map(({ key, value }) => `${JSON.stringify(key.text)}:${write(value)}`).join(',')}}`;
  }
}
