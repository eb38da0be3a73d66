import { SvcError } from '@svc/contracts';
import { type ContentKey, KeyNodes, KeyTree, leafPlace, type Place, placeAbove } from '@svc/runtime/content';
import type { KeyParts } from './key-parts.ts';

/** The level whose nodes become parts: 4,096 of them. So the top is small, and a part grows with only 1 in 4,096 erasures. */
const PART_LEVEL = 12;
const PART_SHIFT = 52n;

/** Stores the top of a key: the nodes below which nothing was erased. */
export interface KeyTop {
  /** The stored top. */
  read(): Promise<KeyTree>;
  /** Removes these nodes. Resolves to the stored top, when the change is on disk if it is stored there. */
  remove(places: readonly Place[]): Promise<KeyTree>;
}

/**
 * A key tree in parts, so that an erasure changes only one small part. The top has the nodes below which nothing was erased. If something was erased
 * below one of the 4,096 nodes of a certain level, that node has a part with the remaining nodes. A part is created before the top loses its node,
 * and then only shrinks. So neither concurrent erasures nor a crash can restore erased nodes.
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

  /** Resolves when the erasures are on disk, if the key is stored there. After a failure, some of them may have been completed. */
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

/** Splits a single-piece key after an erasure. Creates the parts that the key needs before it can become the top, without the erased nodes. */
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

/** Whether a key is a top, which has no nodes below the level of the parts. */
export function isTop({ nodes }: KeyTree): boolean {
  return [...nodes].every(([{ level }]) => level <= PART_LEVEL);
}

/** The names of the parts of a top. */
export function partsOf({ nodes }: KeyTree): string[] {
  const whole = new Set<string>();
  for (const [{ bits, level }] of nodes) {
    const first = Number(bits >> PART_SHIFT);
    for (let part = first; part < first + 2 ** (PART_LEVEL - level); part += 1) whole.add(nameOf(part));
  }
  return Array.from({ length: 2 ** PART_LEVEL }, (_, part) => nameOf(part)).filter((name) => !whole.has(name));
}

/** Waits for all changes, even after a failure, and then throws the failure. */
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

/** A top without nodes. */
export function emptyTop(id: string): KeyTree {
  return new KeyTree(id, KeyNodes.read(Buffer.alloc(0)));
}
