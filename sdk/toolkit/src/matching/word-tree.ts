/** How many spaces or line breaks one space of a phrase stands for, at most. */
export const MAX_SPACES = 8;

/** Words by their characters. `ends`: one of them ends here. */
interface Node {
  ends: boolean;
  readonly next: Map<string, Node>;
}

/**
 * A pattern for any of the words, the longest first. Common beginnings are written once, so that a text which almost matches
 * thousands of words is still read once.
 */
export function alternatives(words: readonly string[]): string {
  return group(treeOf(words), (node) => (node.ends ? [''] : []));
}

/** A pattern for what any of the words begins with, or all of it, up to the end of the text. */
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

/** Lower case where that is one character, so that words which differ in case share their beginning. */
function folded(character: string): string {
  const lower = character.toLowerCase();
  return [...lower].length === 1 ? lower : character;
}

/** `ends`: the patterns for what ends at a node. */
function group(node: Node, ends: (node: Node) => readonly string[]): string {
  const longer = [...node.next].map(([character, next]) => literal(character) + group(next, ends));
  const branches = [...longer, ...ends(node)];
  return branches.length === 1 ? branches.join() : `(?:${branches.join('|')})`;
}

function literal(character: string): string {
  if (character === ' ') return `\\s{1,${MAX_SPACES}}`;
  return /[\^$\\.*+?()[\]{}|/]/u.test(character) ? `\\${character}` : character;
}
