import type { PackFacts } from './facts.ts';

/** In this order on the page: what is missing comes first. */
export const STATES = ['not_shown', 'partly', 'shown'] as const;
export type ShownState = (typeof STATES)[number];

export const FRAMEWORKS = ['OWASP AISVS 1.0', 'EU AI Act', 'The evidence itself'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

/** What the pack shows about a requirement, and what not. */
export interface Shown {
  readonly state: ShownState;
  /** What the records show, what they do not, and what would change that. */
  readonly why: string;
}

/** The commands whose output is in the pack. The report is not among them: nobody signed it. */
export type Source = 'ledger' | 'approvals' | 'inventory' | 'operations' | 'sessions' | 'checkpoints' | 'timestamp' | 'witnesses';

export interface Row {
  readonly framework: Framework;
  readonly id: string;
  /** What it is about, in our words. */
  readonly topic: string;
  readonly source: Source;
  readonly judge: (facts: PackFacts) => Shown;
}

/** Makes rows of one framework. */
export const rowOf =
  (framework: Framework) =>
  (id: string, topic: string, source: Source, judge: Row['judge']): Row => ({ framework, id, topic, source, judge });

export const notShown = (why: string): Shown => ({ state: 'not_shown', why });
export const partly = (why: string): Shown => ({ state: 'partly', why });
export const shown = (why: string): Shown => ({ state: 'shown', why });

/** `1 run`, `2 runs`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
