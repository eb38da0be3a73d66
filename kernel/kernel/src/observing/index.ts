export { type GuardFailureReport, reportFailure } from './guard-failure.ts';
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
export { Timeline } from './timeline.ts';
