/** Fragments, at least one of which occurs in every match. */
export type Clause = readonly string[];

/** What a part of a pattern requires. `exact`: the only text that it matches; null if it matches several. */
interface Piece {
  readonly exact: string | null;
  readonly clauses: readonly Clause[];
}

const ANYTHING: Piece = { exact: null, clauses: [] };
const NOTHING: Piece = { exact: '', clauses: [] };
/** A single letter occurs in nearly every text. */
const MIN_LENGTH = 2;

/**
 * The fragments that a text must contain for a pattern to match: one of each clause. Omitting a clause is always safe, so syntax
 * that this parser does not know requires nothing.
 */
export function needsOf({ source, flags }: RegExp): readonly Clause[] {
  if (flags.includes('i')) return [];
  const reader = new Reader(source);
  return reader.alternatives().clauses;
}

class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Parses up to the end or the closing bracket. */
  alternatives(): Piece {
    const all = [this.#sequence()];
    while (this.#take('|')) all.push(this.#sequence());
    const [only] = all;
    if (all.length === 1 && only !== undefined) return only;
    const best = all.map(({ clauses }) => clauses.toSorted((a, b) => shortest(b) - shortest(a))[0]);
    return { exact: null, clauses: best.includes(undefined) ? [] : [best.flatMap((clause) => clause ?? [])] };
  }

  #sequence(): Piece {
    const clauses: Clause[] = [];
    let literal = '';
    let exact = true;
    const flush = (): void => {
      if (literal.length >= MIN_LENGTH) clauses.push([literal]);
      literal = '';
    };
    let whole = '';
    while (this.#at < this.#source.length && !'|)'.includes(this.#source.charAt(this.#at))) {
      const piece = this.#quantified(this.#piece());
      if (piece.exact !== null) {
        literal += piece.exact;
        whole += piece.exact;
        continue;
      }
      exact = false;
      flush();
      clauses.push(...piece.clauses);
    }
    flush();
    return { exact: exact ? whole : null, clauses };
  }

  #piece(): Piece {
    const sign = this.#source.charAt(this.#at++);
    switch (sign) {
      case '(':
        return this.#group();
      case '[':
        this.#class();
        return ANYTHING;
      case '\\':
        return this.#escape();
      case '.':
        return ANYTHING;
      case '^':
      case '$':
        return NOTHING;
      default:
        return { exact: sign, clauses: [] };
    }
  }

  #group(): Piece {
    const around = /^\?(?:<?[=!])/.exec(this.#source.slice(this.#at, this.#at + 3))?.[0];
    this.#at += around?.length ?? (this.#source.startsWith('?:', this.#at) ? 2 : 0);
    const inside = this.alternatives();
    this.#at += 1;
    return around === undefined ? inside : NOTHING;
  }

  #class(): void {
    for (; this.#source.charAt(this.#at) !== ']'; this.#at += 1) if (this.#source.charAt(this.#at) === '\\') this.#at += 1;
    this.#at += 1;
  }

  #escape(): Piece {
    const sign = this.#source.charAt(this.#at++);
    if (sign === 'n') return { exact: '\n', clauses: [] };
    if (/[bB]/.test(sign)) return NOTHING;
    if (!/[a-zA-Z0-9]/.test(sign)) return { exact: sign, clauses: [] };
    const rest = /^\{[^}]*\}/.exec(this.#source.slice(this.#at))?.[0] ?? '';
    this.#at += /[pPu]/.test(sign) ? rest.length : 0;
    if (sign === 'u' && rest === '') this.#at += 4;
    if (sign === 'x') this.#at += 2;
    return ANYTHING;
  }

  #quantified(piece: Piece): Piece {
    const found = /^(?:[?*+]|\{(\d+)(?:,\d*)?\})\??/.exec(this.#source.slice(this.#at));
    if (found === null) return piece;
    this.#at += found[0].length;
    const [sign, least] = found;
    if (sign.startsWith('?') || sign.startsWith('*') || least === '0') return ANYTHING;
    const own = piece.exact !== null && piece.exact.length >= MIN_LENGTH ? [[piece.exact]] : piece.clauses;
    return { exact: null, clauses: own };
  }

  #take(sign: string): boolean {
    if (this.#source.charAt(this.#at) !== sign) return false;
    this.#at += 1;
    return true;
  }
}

function shortest(clause: Clause): number {
  return Math.min(...clause.map(({ length }) => length));
}
