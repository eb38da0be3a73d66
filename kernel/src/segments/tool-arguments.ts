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

/**
 * Decodes a tool call's arguments into leaves that can be edited, and writes them again as JSON. Numbers keep the digits they were
 * written with; an edited number becomes a string. Of a key that is given twice only the last value survives, so that no value
 * reaches a tool unseen.
 * @returns null where the text is not JSON (or nested too deep to read): it is then one text
 */
export function decodeArguments(text: string): { leaves: ArgumentLeaf[]; encode(): string } | null {
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
