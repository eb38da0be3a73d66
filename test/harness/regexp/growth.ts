/** An upper bound: a fixed number, a number per code unit of the text, and `beyond` for anything that grows faster. */
export class Growth {
  static readonly LENGTH = new Growth(0, 1, 0);

  readonly fixed: number;
  readonly linear: number;
  readonly beyond: number;

  private constructor(fixed: number, linear: number, beyond: number) {
    this.fixed = fixed;
    this.linear = linear;
    this.beyond = beyond;
  }

  static of(count: number): Growth {
    return new Growth(count, 0, 0);
  }

  /** The maximum of each component. */
  static most(all: readonly Growth[]): Growth {
    const most = (of: (one: Growth) => number): number => Math.max(0, ...all.map(of));
    return new Growth(
      most(({ fixed }) => fixed),
      most(({ linear }) => linear),
      most(({ beyond }) => beyond),
    );
  }

  get isOne(): boolean {
    return this.fixed === 1 && this.linear === 0 && this.beyond === 0;
  }

  plus(other: Growth): Growth {
    return new Growth(this.fixed + other.fixed, this.linear + other.linear, this.beyond + other.beyond);
  }

  times(other: Growth): Growth {
    return new Growth(
      product(this.fixed, other.fixed),
      product(this.fixed, other.linear) + product(this.linear, other.fixed),
      product(this.linear, other.linear) + product(this.beyond, other.#sum) + product(this.fixed + this.linear, other.beyond),
    );
  }

  /** Multiplies the fixed component. The linear one counts once. */
  timesFixed(times: Growth): Growth {
    const fixed = Growth.of(this.fixed).times(times);
    return new Growth(fixed.fixed, fixed.linear + this.linear, fixed.beyond + this.beyond);
  }

  /** The bound if this is repeated at each position of a text. */
  get asRepeated(): Growth {
    return new Growth(this.fixed, 0, this.linear + this.beyond);
  }

  power(times: number): Growth {
    if (this.isOne || times === 0) return Growth.of(1);
    if (times === Infinity || (times > 1 && this.linear + this.beyond > 0)) return new Growth(0, 0, Infinity);
    return times === 1 ? this : Growth.of(this.fixed ** times);
  }

  get #sum(): number {
    return this.fixed + this.linear + this.beyond;
  }
}

/** Zero times infinity is zero. */
function product(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}
