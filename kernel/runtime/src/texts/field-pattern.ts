import type { FieldTable, Place } from '@svc/contracts';
import { DATA_OF_TOOLS, fitsQuantity } from '@svc/protocols';

/** Maximum number of cached patterns. Ordinary requests have a few hundred; unusual nesting of known fields creates more. */
const MAX_KEPT = 4_096;

/** The data that all patterns of one table share. */
interface Tree {
  readonly table: FieldTable;
  size: number;
}

/**
 * A path in the bodies of a protocol, with `*` for indexes and `?` for keys that callers chose. Values with the same path share a
 * pattern, also across requests, so the table is searched only once.
 */
export class FieldPattern {
  readonly text: string;
  /** Whether the items of this array are turns or answers. */
  readonly holds: boolean;
  /** Whether a caller or a model chose this key. */
  readonly isChosen: boolean;
  readonly facts: Place;
  /** Whether a mark of origin counts here: in turns, the system prompt and all their objects, except the data of tools. */
  readonly isMarkable: boolean;
  readonly #tree: Tree;
  readonly #members = new Map<string, FieldPattern>();
  #items: FieldPattern | null = null;

  /** @param above null: it is the whole body. @param step last step of the path: a known field, `*` or `?` */
  constructor(tree: Tree, above: FieldPattern | null, step: string) {
    tree.size += 1;
    this.#tree = tree;
    this.text = above === null || above.text === '' ? step : `${above.text}.${step}`;
    this.holds = this.text === tree.table.holder;
    this.isChosen = step === '?';
    this.facts = tree.table.placeOf(this.text);
    const isTurn = above?.holds === true || (above?.text === '' && this.facts.role === 'system');
    const isData = this.isChosen || this.facts.isToolInput || DATA_OF_TOOLS.has(step);
    this.isMarkable = isTurn || (above?.isMarkable === true && !isData);
  }

  /** Whether there are so many patterns that a new tree must be started. */
  get isFull(): boolean {
    return this.#tree.size > MAX_KEPT;
  }

  /**
   * Whether a value in this place may contain text to check. Fixed values of the protocol and values that the gateway writes do not. `numbers`:
   * whether numbers are also checked.
   */
  mayHoldText(value: unknown, numbers: boolean): boolean {
    const { isOwn, isQuantity, vocabulary } = this.facts;
    if (typeof value === 'string') return !isOwn && !vocabulary.has(value);
    if (typeof value === 'number') return numbers && !isOwn && !(isQuantity && fitsQuantity(String(value)));
    return typeof value === 'object' && value !== null;
  }

  /** The pattern of the items of this array. */
  get items(): FieldPattern {
    this.#items ??= new FieldPattern(this.#tree, this, '*');
    return this.#items;
  }

  /** The pattern of a member of this object. */
  member(key: string): FieldPattern {
    const known = this.#members.get(key);
    if (known !== undefined) return known;
    const step = !this.facts.isToolInput && this.#tree.table.isKnownField(key) ? key : '?';
    const member = this.#members.get(step) ?? new FieldPattern(this.#tree, this, step);
    this.#members.set(step, member);
    return member;
  }
}

const roots = new Map<FieldTable, FieldPattern>();

/** The pattern of a whole body. */
export function rootPattern(table: FieldTable): FieldPattern {
  const known = roots.get(table);
  if (known !== undefined && !known.isFull) return known;
  const root = new FieldPattern({ table, size: 0 }, null, '');
  roots.set(table, root);
  return root;
}

/** @param path path as in segments, such as `content.2` */
export function patternAt(root: FieldPattern, path: string): FieldPattern {
  if (path === '') return root;
  return path.split('.').reduce((at, step) => (/^\d+$/.test(step) ? at.items : at.member(step)), root);
}
