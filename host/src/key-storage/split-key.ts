import { SvcError } from '@svc/contracts';
import { type ContentKey, KeyNodes, KeyTree, leafPlace, type Place, placeAbove } from '@svc/runtime/content';
import type { KeyParts } from './key-parts.ts';

/** The level whose nodes become parts: 4,096 of them. So the top is small, and a part grows by 1 erasure in 4,096. */
const PART_LEVEL = 12;
const PART_SHIFT = 52n;

/** Where the top of a key is kept: the nodes that have forgotten nothing. */
export interface KeyTop {
  /** As it is kept now. */
  read(): Promise<KeyTree>;
  /** Without these places, on disk when it resolves, where it is kept there. Returns what is kept then. */
  remove(places: readonly Place[]): Promise<KeyTree>;
}

/**
 * A key tree in parts, so that an erasure changes one small part whatever was erased before: a top, and for each of its 4,096 nodes of one
 * level, below which something was erased, a part with what is left there. A part is made before the top loses its node, and is only made
 * smaller. So whatever is done at once, or ends halfway, nothing comes back.
 */
export class SplitKey implements ContentKey {
  readonly id: string;
  readonly #kept: KeyTop;
  readonly #parts: KeyParts;
  #top: KeyTree;

  constructor(top: KeyTree, kept: KeyTop, parts: KeyParts) {
    this.id = top.id;
    this.#top = top;
    this.#kept = kept;
    this.#parts = parts;
  }

  keyFor(leaf: string): Buffer | null {
    const place = leafPlace(leaf);
    const key = this.#top.nodes.keyAt(place);
    if (key !== null) return key;
    const part = this.#parts.read(partName(place));
    if (part === null) throw new SvcError('SVC-STORE-001', 'a part of the content key is missing');
    return part.keyAt(place);
  }

  /** On disk when it resolves, where the key is kept there. After a failure it may have forgotten some of them. */
  async forget(leaves: readonly string[]): Promise<void> {
    const { nodes } = await this.#kept.read();
    const parts = Map.groupBy(leaves.map(leafPlace), partName);
    await settled(
      Array.from(parts, ([name, places]) =>
        this.#parts.change(name, (found) => {
          const part = found ?? nodes.within(partPlace(name));
          if (part.count === 0 && found === null) throw new Error(`part ${name} of the content key is missing`);
          return places.reduce((left, place) => left.without(place), part);
        }),
      ),
    );
    this.#top = await this.#kept.remove([...parts.keys()].map(partPlace));
  }
}

/** Of a key in one piece, that has forgotten something: the parts that it needs before it can be the top. They lose what it has not. */
export async function makeParts({ nodes }: KeyTree, parts: KeyParts): Promise<readonly Place[]> {
  const names = new Set([...nodes].flatMap(([place]) => (place.level > PART_LEVEL ? partName(place) : [])));
  await settled(
    Array.from(names, (name) => {
      const part = nodes.within(partPlace(name));
      return parts.change(name, (found) => found?.intersect(part) ?? part);
    }),
  );
  return [...names].map(partPlace);
}

/** Whether a key is a top: nothing below the level of parts. */
export function isTop({ nodes }: KeyTree): boolean {
  return [...nodes].every(([{ level }]) => level <= PART_LEVEL);
}

/** The names of the parts that belong to a top. */
export function partsOf({ nodes }: KeyTree): string[] {
  const whole = new Set<string>();
  for (const [{ bits, level }] of nodes) {
    const first = Number(bits >> PART_SHIFT);
    for (let part = first; part < first + 2 ** (PART_LEVEL - level); part += 1) whole.add(nameOf(part));
  }
  return Array.from({ length: 2 ** PART_LEVEL }, (_, part) => nameOf(part)).filter((name) => !whole.has(name));
}

/** Waits for all of them, also after a failure, which it throws. */
async function settled(changes: readonly Promise<void>[]): Promise<void> {
  for (const change of await Promise.allSettled(changes)) if (change.status === 'rejected') throw change.reason;
}

function nameOf(part: number): string {
  return part.toString(16).padStart(3, '0');
}

function partName(place: Place): string {
  return nameOf(Number(placeAbove(place, PART_LEVEL).bits >> PART_SHIFT));
}

function partPlace(name: string): Place {
  return { bits: BigInt(`0x${name}`) << PART_SHIFT, level: PART_LEVEL };
}

/** A top of which nothing is left. */
export function emptyTop(id: string): KeyTree {
  return new KeyTree(id, KeyNodes.read(Buffer.alloc(0)));
}
