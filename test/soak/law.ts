/** A statement that must hold of every load. */
export interface Law {
  readonly law: string;
  readonly holds: boolean;
  readonly figures: string;
}

/** Number of examples to show of a law that is broken. */
const SHOWN = 5;

export function law(text: string, holds: boolean, figures: string, examples: readonly string[] = []): Law {
  return { law: text, holds, figures: [figures, ...examples.slice(0, SHOWN)].join('; ') };
}

export function round(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1);
}
