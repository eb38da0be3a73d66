import { idKind, isKnownField, isName, isToolArguments, mayBeJsonOf, type OpaqueKind, opaqueKindOf } from './fields.ts';
import { isSigned } from './opaque-values.ts';
import { fitsQuantity, isOwn, isQuantity, type Vocabulary, vocabularyOf } from './vocabulary.ts';

/** Number of places that are cached. Ordinary requests have some hundreds; unusual nesting of known fields makes more. */
const MAX_KEPT = 4_096;

/** What all places of one tree share. */
interface Tree {
  readonly of: 'request' | 'answer';
  size: number;
}

/** What the field lists say about a place. */
interface Facts {
  readonly isToolArguments: boolean;
  readonly isName: boolean;
  /** Whether the gateway itself writes this field. */
  readonly isOwn: boolean;
  /** Whether this field holds a quantity. */
  readonly isQuantity: boolean;
  /** The few values that the format allows here. */
  readonly vocabulary: Vocabulary;
  readonly idKind: ReturnType<typeof idKind>;
  /** Whose string here may be JSON that its reader gets unchanged. */
  readonly json: ReturnType<typeof mayBeJsonOf>;
  /** The kind of content that may stand here and that no guard can read; null: always text. */
  readonly opaqueKind: OpaqueKind | null;
  /** Whether its `signature` holds for the texts beside it. */
  readonly isSigned: boolean;
}

/**
 * A place of the chat format as in the field lists, with `*` for indexes and `?` for keys that callers chose. Shared by all values in such
 * places, in all requests, so that the lists are searched once.
 */
export class FieldPattern {
  readonly text: string;
  /** Whether its members are messages or choices. */
  readonly holds: boolean;
  /** Whether a caller or a model chose its key. */
  readonly isChosen: boolean;
  readonly facts: Facts;
  readonly #tree: Tree;
  readonly #members = new Map<string, FieldPattern>();
  #items: FieldPattern | null = null;

  /** @param step the last of its path: a known field, `*` or `?` */
  constructor(tree: Tree, above: string, step: string) {
    tree.size += 1;
    this.#tree = tree;
    this.text = above === '' ? step : `${above}.${step}`;
    this.holds = this.text === 'messages' || this.text === 'choices';
    this.isChosen = step === '?';
    this.facts = factsOf(tree.of, this.text);
  }

  /** Whether its tree has so many places that a new one must be started. */
  get isFull(): boolean {
    return this.#tree.size > MAX_KEPT;
  }

  /**
   * Whether there is text to check in a value in this place. There is none in what means the same in every request, or what the gateway
   * itself writes. `numbers`: whether numbers are checked.
   */
  mayHoldText(value: unknown, numbers: boolean): boolean {
    const { isOwn, isQuantity, vocabulary } = this.facts;
    if (typeof value === 'string') return !isOwn && !vocabulary.has(value);
    if (typeof value === 'number') return numbers && !isOwn && !(isQuantity && fitsQuantity(String(value)));
    return typeof value === 'object' && value !== null;
  }

  /** The place of the items of an array here. */
  get items(): FieldPattern {
    this.#items ??= new FieldPattern(this.#tree, this.text, '*');
    return this.#items;
  }

  /** The place of a member of an object here. */
  member(key: string): FieldPattern {
    const known = this.#members.get(key);
    if (known !== undefined) return known;
    const step = isKnownField(key) ? key : '?';
    const member = this.#members.get(step) ?? new FieldPattern(this.#tree, this.text, step);
    this.#members.set(step, member);
    return member;
  }
}

function factsOf(of: 'request' | 'answer', text: string): Facts {
  return {
    isToolArguments: isToolArguments(text),
    isName: isName(text),
    isOwn: isOwn(of, text),
    isQuantity: isQuantity(of, text),
    vocabulary: vocabularyOf(of, text),
    idKind: idKind(text),
    json: mayBeJsonOf(text),
    opaqueKind: opaqueKindOf(text),
    isSigned: isSigned(text),
  };
}

const roots = { request: newRoot('request'), answer: newRoot('answer') };

/** The place of a whole request or answer. */
export function rootPattern(of: 'request' | 'answer'): FieldPattern {
  if (roots[of].isFull) roots[of] = newRoot(of);
  return roots[of];
}

function newRoot(of: 'request' | 'answer'): FieldPattern {
  return new FieldPattern({ of, size: 0 }, '', '');
}
