export type { GuardFailureReport } from './guard-failure.ts';
export {
  type CallReport,
  type CircuitCause,
  laterObserver,
  type NodeReport,
  noopObserver,
  type Observer,
  type RagOutcome,
  type RagWork,
  type RunReport,
  safeObserver,
} from './observer.ts';
export { reportFailure } from './report-failure.ts';
export { Timeline } from './timeline.ts';
