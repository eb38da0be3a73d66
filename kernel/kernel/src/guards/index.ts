export { callEnv } from '../calls/call-env.ts';
export type { CallEnv, GuardCall, GuardFailure } from '../calls/guard-call.ts';
export { guardContext } from '../calls/guard-context.ts';
export { isGuardResult, isStreamStep, type ReturnedResult } from '../calls/guard-result.ts';
export { askEndpointHooks } from '../runs/endpoint-hooks.ts';
export { type Judgement, judge } from '../runs/judge.ts';
export { askNode, askOperator, type PipelineEnv, runStage, stopOf, type UpstreamEnv, withAdded } from '../runs/stage.ts';
export {
  failedNode,
  type JudgedNode,
  judgedNode,
  type NodeMode,
  reportNode,
  skipNode,
  verdictEvent,
} from '../runs/verdict-event.ts';
