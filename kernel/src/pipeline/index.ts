export { type Attempt, type AttemptEnd, upstreamRequest } from './attempt.ts';
export { execute } from './execute.ts';
export { isSettlement } from './guard-result.ts';
export { withinLimit } from './judge.ts';
export { guardContext, type Halt, type PipelineRun } from './pipeline-run.ts';
export { goneRoute, nodesOf, type PipelineNode, type RuntimeRoute } from './route.ts';
export { runStage, STAGE_START } from './stage.ts';
export { Timeline } from './timeline.ts';
export { callWhole } from './whole-call.ts';
