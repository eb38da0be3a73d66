export { responseText } from './content.ts';
export type { Erased } from './erase.ts';
export type { RunOutcome, Stop } from './outcome.ts';
export { type MaxPaused, PauseLimits } from './pause-limits.ts';
export type { PendingView, RunView } from './read.ts';
export type { Decision } from './resume.ts';
export { Runs } from './runs.ts';
