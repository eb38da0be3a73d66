import { idKind, isName, isToolArguments, mayBeJsonOf, type OpaqueKind, opaqueKindOf } from './fields.ts';
import { isSigned } from './opaque-values.ts';
import { fitsQuantity, isOwn, isQuantity, vocabularyOf } from './vocabulary.ts';

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
  readonly vocabulary: ReadonlySet<string>;
  readonly idKind: ReturnType<typeof idKind>;
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
  readonly #tree: Tree;
  readonly #children = new Map<string, FieldPattern>();
  #facts: Facts | null = null;

  constructor(tree: Tree, text: string) {
    tree.size += 1;
    this.#tree = tree;
    this.text = text;
    this.holds = text === 'messages' || text === 'choices';
  }

  /** Whether its tree has so many places that a new one must be started. */
  get isFull(): boolean {
    return this.#tree.size > MAX_KEPT;
  }

  get facts(): Facts {
    this.#facts ??= factsOf(this.#tree.of, this.text);
    return this.#facts;
  }

  /** Whether a string or number needs no check in this place: it means the same in every request, or the gateway itself writes it. */
  isPlain(value: unknown): boolean {
    if (typeof value === 'string') return this.facts.isOwn || this.facts.vocabulary.has(value);
    if (typeof value !== 'number') return false;
    return this.facts.isOwn || (this.facts.isQuantity && fitsQuantity(String(value)));
  }

  /** Whether a string of this role may be JSON that its reader gets unchanged. */
  mayBeJson(role: string | null): boolean {
    const { json } = this.facts;
    return json === 'anyone' || (json === 'tool' && (role === 'tool' || role === 'function'));
  }

  /** @param step a known field, `*` or `?` */
  child(step: string): FieldPattern {
    const known = this.#children.get(step);
    if (known !== undefined) return known;
    const child = new FieldPattern(this.#tree, this.text === '' ? step : `${this.text}.${step}`);
    this.#children.set(step, child);
    return child;
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
  return new FieldPattern({ of, size: 0 }, '');
}
