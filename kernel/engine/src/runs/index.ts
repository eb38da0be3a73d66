export { responseText } from './content.ts';
export type { Erased } from './erase.ts';
export type { RunOutcome } from './outcome.ts';
export { type MaxPaused, PauseLimits } from './pause-limits.ts';
export type { RunView } from './read.ts';
export { Runs } from './runs.ts';
