import { areDisjoint, type Characters, charactersOf, NONE, union, without } from './characters.ts';
import { Growth } from './growth.ts';
import { type Part, parse } from './parse.ts';

/** What follows a part. */
interface Next {
  /** The characters possible at the next positions, up to `depth`; fewer positions if unknown. */
  lead(depth: number): readonly Characters[];
  /** Whether it can fail, so that other ways through the part are tried. */
  readonly fails: boolean;
}

/** The work of the backtracking engine from one start in the worst text. */
interface Cost {
  readonly steps: Growth;
  /** The number of ways in which a part can match. What follows is tried once for each. */
  readonly ways: Growth;
}

/** Number of characters used to distinguish alternatives. Longer words usually share their beginning. */
const DEPTH = 6;

const ANY = String.raw`[\s\S]`;

const ONCE: Cost = { steps: Growth.of(1), ways: Growth.of(1) };

/**
 * An upper bound of the steps that a pattern takes from one start if it fails there. If two adjacent parts can match the same characters, their ways
 * multiply. An unbounded repetition multiplies by the text's length, unless nothing after it can fail, because then its text is not read again.
 */
export function costOf(pattern: RegExp): Growth {
  return new Reckoner(pattern.flags).whole(parse(pattern));
}

const END: Next = { lead: () => [], fails: false };

class Reckoner {
  readonly #flags: string;
  /** The characters that a match can begin with. */
  #starts: Characters | undefined;

  constructor(flags: string) {
    this.#flags = flags;
  }

  whole(part: Part): Growth {
    [this.#starts] = this.#before(part, END).lead(1);
    return this.cost(part, END, true).steps;
  }

  /** `moves`: the next start is after the text that was read. False inside a look-around. */
  cost(part: Part, next: Next, moves: boolean): Cost {
    switch (part.kind) {
      case 'character':
      case 'edge':
        return ONCE;
      case 'look':
        // The next start is not after its text. An unbounded one reads the whole text at each position.
        return { ...ONCE, steps: this.cost(inOrder(part), END, false).steps.asRepeated };
      case 'sequence':
        return this.#sequence(part.parts, next, moves);
      case 'choice':
        return this.#choice(part.options.flatMap(spread), next, moves);
      case 'repeat':
        return this.#repeat(part, next, moves);
    }
  }

  #sequence(parts: readonly Part[], next: Next, moves: boolean): Cost {
    const costs: Cost[] = [];
    let after = next;
    for (const part of parts.toReversed()) {
      costs.unshift(this.cost(part, after, moves));
      after = this.#before(part, after);
    }
    return costs.reduceRight(
      (rest, { steps, ways }) => ({ steps: steps.plus(ways.times(rest.steps)), ways: ways.times(rest.ways) }),
      { steps: Growth.of(0), ways: Growth.of(1) },
    );
  }

  #choice(options: readonly Part[], next: Next, moves: boolean): Cost {
    const costs = options.map((option) => this.cost(option, next, moves));
    const leads = options.map((option) => this.#before(option, next).lead(DEPTH));
    // Alternatives compete if they can match the same text.
    const rivals = leads.map((lead) => costs.filter((_, other) => !tellsApart(lead, leads[other] ?? [])));
    const steps = rivals.map((some) => some.reduce((sum, cost) => sum.plus(cost.steps), Growth.of(options.length)));
    const ways = rivals.map((some) => some.reduce((sum, cost) => sum.plus(cost.ways), Growth.of(0)));
    return { steps: Growth.most(steps), ways: next.fails ? Growth.most(ways) : Growth.of(1) };
  }

  #repeat({ body, least, most }: Part & { kind: 'repeat' }, next: Next, moves: boolean): Cost {
    if (most === 0) return { steps: Growth.of(0), ways: Growth.of(1) };
    // If nothing after it can fail, only required repetitions are read again.
    const again: Part = { kind: 'repeat', body, least: !next.fails && least > 1 ? 1 : 0, most: most - 1 };
    const after = this.#before(again, next);
    const inner = this.cost(body, { lead: (depth) => after.lead(depth), fails: next.fails || least > 1 }, moves);
    if (!next.fails && moves)
      return { steps: inner.steps.times(inner.ways.power(least).times(Growth.of(least + 1))), ways: Growth.of(1) };
    const isOver = !next.fails || least === most || tellsApart(this.#before(body, after).lead(DEPTH), next.lead(DEPTH));
    const times =
      most < Infinity ? Growth.of(most) : isOver && moves && this.#isReadOnce(body) ? Growth.of(least + 1) : Growth.LENGTH;
    const paths = inner.ways.isOne ? times : inner.ways.power(most);
    const exits = isOver ? Growth.of(1) : most === Infinity ? times : Growth.of(most - least + 1);
    return {
      // With a single way, no text is read by two repetitions.
      steps: (inner.ways.isOne ? inner.steps.timesFixed(paths) : inner.steps.times(paths)).plus(paths),
      ways: exits.times(inner.ways.isOne ? Growth.of(1) : paths),
    };
  }

  /** Whether the body's characters cannot begin a match. Then two starts never read the same ones. */
  #isReadOnce(body: Part): boolean {
    if (body.kind !== 'character' || this.#starts === undefined) return false;
    return areDisjoint(charactersOf(body.source, this.#flags), this.#starts);
  }

  /** A part and what follows it, combined. */
  #before(part: Part, next: Next): Next {
    const known = new Map<number, readonly Characters[]>();
    return {
      lead: (depth) => {
        const lead = known.get(depth) ?? this.#lead(part, depth, next);
        known.set(depth, lead);
        return lead;
      },
      fails: next.fails || mayFail(part),
    };
  }

  #lead(part: Part, depth: number, next: Next): readonly Characters[] {
    if (depth === 0) return [];
    switch (part.kind) {
      case 'character':
        return [charactersOf(part.source, this.#flags), ...next.lead(depth - 1)];
      case 'edge':
        // Nothing comes after the end.
        return part.sign === '$' && !this.#flags.includes('m') ? [NONE] : next.lead(depth);
      case 'look':
        return this.#leadOfLook(part, depth, next);
      case 'sequence':
        return part.parts.reduceRight((after, one) => this.#before(one, after), next).lead(depth);
      case 'choice':
        return merged(part.options.map((option) => this.#lead(option, depth, next)));
      case 'repeat': {
        const { body, least, most } = part;
        if (most === 0) return next.lead(depth);
        const fewer: Part = { kind: 'repeat', body, least: Math.max(0, least - 1), most: most - 1 };
        const more = this.#lead(body, depth, this.#before(fewer, next));
        return least > 0 ? more : merged([more, next.lead(depth)]);
      }
    }
  }

  /** Only a look-around of a single character is used. Others say little about what follows. */
  #leadOfLook({ behind, negative, body }: Part & { kind: 'look' }, depth: number, next: Next): readonly Characters[] {
    const after = next.lead(depth);
    const options = body.kind === 'choice' ? body.options : [body];
    const single = options.map(only).filter((one) => one.kind === 'character');
    if (behind || single.length === 0 || (!negative && single.length < options.length)) return after;
    const some = single.map(({ source }) => charactersOf(source, this.#flags)).reduce(union);
    const [first = charactersOf(ANY, this.#flags), ...others] = after;
    return [negative ? without(first, some) : without(first, without(first, some)), ...others];
  }
}

/** Nested alternatives as a flat list, to compare each with each. */
function spread(part: Part): readonly Part[] {
  const inner = only(part);
  return inner.kind === 'choice' ? inner.options.flatMap(spread) : [part];
}

/** Unwraps a sequence of one part. */
function only(part: Part): Part {
  return part.kind === 'sequence' && part.parts.length === 1 && part.parts[0] !== undefined ? only(part.parts[0]) : part;
}

/** A look-behind is read backwards. */
function inOrder({ behind, body }: Part & { kind: 'look' }): Part {
  return behind ? reversed(body) : body;
}

function reversed(part: Part): Part {
  switch (part.kind) {
    case 'sequence':
      return { ...part, parts: part.parts.map(reversed).toReversed() };
    case 'choice':
      return { ...part, options: part.options.map(reversed) };
    case 'repeat':
      return { ...part, body: reversed(part.body) };
    default:
      return part;
  }
}

/** Whether a part can fail to match. Optional parts and parts that always match cannot. */
function mayFail(part: Part): boolean {
  switch (part.kind) {
    case 'sequence':
      return part.parts.some(mayFail);
    case 'choice':
      return part.options.every(mayFail);
    case 'repeat':
      return part.least > 0 && mayFail(part.body);
    default:
      return true;
  }
}

function tellsApart(a: readonly Characters[], b: readonly Characters[]): boolean {
  return a.some((characters, at) => at < b.length && areDisjoint(characters, b[at] ?? characters));
}

/** The possible characters at each position, as far as known for all. */
function merged(leads: readonly (readonly Characters[])[]): readonly Characters[] {
  return leads.reduce((all, lead) =>
    all.slice(0, lead.length).map((characters, at) => union(characters, lead[at] ?? characters)),
  );
}
