import type { RE2JS } from 're2js';

/** One step of a compiled pattern. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  /** The other way on, where there are two. */
  readonly arg: number;
  /** Ranges of code points, in order: first, last, first, last …; or one code point. */
  readonly runes: Int32Array;
}

/**
 * The longest text that a pattern can match, in UTF-16 code units; Infinity where there is no bound. At least that: a part that can
 * never match may count.
 *
 * Read from the compiled pattern, of which re2js says nothing in its documentation: the tests beside this file pin what is relied on.
 */
export function longestMatch(re: RE2JS): number {
  const { inst, start }: { inst: readonly Instruction[]; start: number } = re.re2().prog;
  const into = waysInto(inst, start);
  const longest = new Map<number, number>();
  // In an order in which nothing comes before what leads to it. What stands in a circle never gets its turn.
  const ready = into.get(start) === 0 ? [start] : [];
  let result = 0;
  for (const at of ready) {
    const length = (longest.get(at) ?? 0) + widthOf(inst[at]);
    result = Math.max(result, length);
    for (const next of waysOn(inst[at])) {
      longest.set(next, Math.max(longest.get(next) ?? 0, length));
      const left = (into.get(next) ?? 0) - 1;
      into.set(next, left);
      if (left === 0) ready.push(next);
    }
  }
  return ready.length === into.size ? result : Infinity;
}

/** How many steps a compiled pattern has: a search takes up to so many for each character. */
export function programSize(re: RE2JS): number {
  return re.re2().prog.inst.length;
}

/** How many ways lead into each instruction that can be reached. */
function waysInto(inst: readonly Instruction[], start: number): Map<number, number> {
  const into = new Map([[start, 0]]);
  for (const at of into.keys()) for (const next of waysOn(inst[at])) into.set(next, (into.get(next) ?? 0) + 1);
  return into;
}

function waysOn(instruction: Instruction | undefined): number[] {
  switch (instruction?.op) {
    case OP.ALT:
    case OP.ALT_MATCH:
      return [instruction.out, instruction.arg];
    case undefined:
    case OP.FAIL:
    case OP.MATCH:
      return [];
    default:
      return [instruction?.out ?? 0];
  }
}

function widthOf(instruction: Instruction | undefined): number {
  switch (instruction?.op) {
    case OP.ALT:
    case OP.ALT_MATCH:
    case OP.CAPTURE:
    case OP.EMPTY_WIDTH:
    case OP.FAIL:
    case OP.MATCH:
    case OP.NOP:
      return 0;
    case OP.RUNE:
    case OP.RUNE1:
      // Folding case leads no character from one code unit to two.
      return (instruction?.runes.at(-1) ?? 0) > 0xffff ? 2 : 1;
    case OP.RUNE_ANY:
    case OP.RUNE_ANY_NOT_NL:
      return 2;
    default:
      return Infinity;
  }
}

const OP = {
  ALT: 1,
  ALT_MATCH: 2,
  CAPTURE: 3,
  EMPTY_WIDTH: 4,
  FAIL: 5,
  MATCH: 6,
  NOP: 7,
  RUNE: 8,
  RUNE1: 9,
  RUNE_ANY: 10,
  RUNE_ANY_NOT_NL: 11,
} as const;
