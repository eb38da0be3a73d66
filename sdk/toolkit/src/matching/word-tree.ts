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
  const root: Node = { ends: false, next: new Map() };
  for (const word of words) {
    let node = root;
    for (const character of word) node = step(node, folded(character));
    node.ends = true;
  }
  return group(root);
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

function group({ ends, next }: Node): string {
  const branches = [...next].map(([character, node]) => literal(character) + group(node));
  if (ends) branches.push('');
  return branches.length === 1 ? branches.join() : `(?:${branches.join('|')})`;
}

function literal(character: string): string {
  if (character === ' ') return `\\s{1,${MAX_SPACES}}`;
  return /[\^$\\.*+?()[\]{}|/]/u.test(character) ? `\\${character}` : character;
}
