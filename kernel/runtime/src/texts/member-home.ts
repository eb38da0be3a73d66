import type { Steps } from '@svc/contracts';
import { define, HANDLE_PREFIX, isHandle } from '@svc/protocols';
import type { Leaf, LeafHome } from './leaf.ts';

/** Writes changes to the strings and keys of one object or array. */
export class MemberHome implements LeafHome {
  readonly #container: object;
  /** The current name of each renamed member, by its original key, which is the slot of its leaves. */
  #names: Map<string | number, string> | null = null;
  /** New names by slot, until the next flush. */
  #renames: Map<string | number, string> | null = null;

  constructor(container: object) {
    this.#container = container;
  }

  /** An edited number becomes a string. */
  write({ kind, slot, text }: Leaf): void {
    if (kind === 'key') {
      this.#renames ??= new Map();
      this.#renames.set(slot, text);
    } else define(this.#container, this.#nameOf(slot), text);
  }

  /** Renames all members at once, so that they keep their order. */
  *flush(): Steps<null> {
    if (this.#renames === null) return null;
    const renamed = new Map<string, string>();
    for (const [slot, name] of this.#renames) renamed.set(this.#nameOf(slot), name);
    const members: [name: string, value: unknown][] = [];
    for (const name of Object.keys(this.#container)) {
      members.push([renamed.get(name) ?? name, Reflect.get(this.#container, name)]);
      Reflect.deleteProperty(this.#container, name);
      yield;
    }
    for (const [name, value] of members) {
      define(this.#container, name, value);
      yield;
    }
    this.#names ??= new Map();
    for (const [slot, name] of this.#renames) this.#names.set(slot, name);
    this.#renames = null;
    return null;
  }

  #nameOf(slot: string | number): string {
    return this.#names?.get(slot) ?? String(slot);
  }
}

/** A handle that cannot be decrypted, so the signature is removed before the request is sent to a model. */
export const GONE_SIGNATURE = `${HANDLE_PREFIX}gone`;

/**
 * Writes changes to texts that a `signature` beside them covers. If a text is edited, the signature is removed. A handle stays, because it contains
 * the signed text.
 */
export class SignedHome extends MemberHome {
  readonly #signed: object;
  readonly #isEssential: boolean;

  /** @param isEssential whether the part is useless without its signature; if so, an invalid handle marks the part, so that it is not sent */
  constructor(signed: object, isEssential: boolean) {
    super(signed);
    this.#signed = signed;
    this.#isEssential = isEssential;
  }

  override write(leaf: Leaf): void {
    super.write(leaf);
    if (leaf.slot === 'signature') return;
    const signature: unknown = Reflect.get(this.#signed, 'signature');
    if (typeof signature === 'string' && isHandle(signature)) return;
    if (this.#isEssential && typeof signature === 'string') define(this.#signed, 'signature', GONE_SIGNATURE);
    else Reflect.deleteProperty(this.#signed, 'signature');
  }
}
