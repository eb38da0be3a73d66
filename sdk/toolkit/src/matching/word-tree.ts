/** Maximum number of spaces or line breaks that one space of a phrase matches. */
export const MAX_SPACES = 8;

/** A tree of words by character. `ends`: whether a word ends here. */
interface Node {
  ends: boolean;
  readonly next: Map<string, Node>;
}

/**
 * A pattern for any of the words, longest first. Shared beginnings are written once, so a text that almost matches thousands of words is
 * still read once.
 */
export function alternatives(words: readonly string[]): string {
  return group(treeOf(words), (node) => (node.ends ? [''] : []));
}

/** A pattern for any beginning of the words, including whole words, at the end of the text. */
export function beginnings(words: readonly string[]): string {
  return group(treeOf(words), () => ['$']);
}

function treeOf(words: readonly string[]): Node {
  const root: Node = { ends: false, next: new Map() };
  for (const word of words) {
    let node = root;
    for (const character of word) node = step(node, folded(character));
    node.ends = true;
  }
  return root;
}

function step({ next }: Node, character: string): Node {
  const known = next.get(character);
  if (known !== undefined) return known;
  const made: Node = { ends: false, next: new Map() };
  next.set(character, made);
  return made;
}

/** The lower-case form, if that is one character. With it, words that differ only in case share their beginning. */
function folded(character: string): string {
  const lower = character.toLowerCase();
  return [...lower].length === 1 ? lower : character;
}

/** `ends` returns the patterns for the end of a node. */
function group(node: Node, ends: (node: Node) => readonly string[]): string {
  const longer = [...node.next].map(([character, next]) => literal(character) + group(next, ends));
  const branches = [...longer, ...ends(node)];
  return branches.length === 1 ? branches.join() : `(?:${branches.join('|')})`;
}

function literal(character: string): string {
  if (character === ' ') return `\\s{1,${MAX_SPACES}}`;
  return /[\^$\\.*+?()[\]{}|/]/u.test(character) ? `\\${character}` : character;
}
