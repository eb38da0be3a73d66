export { execute } from './execute.ts';
export { isSettlement } from './guard-result.ts';
export { withinLimit } from './judge.ts';
export { type AbortReason, guardContext, type Halt, type PipelineRun } from './pipeline-run.ts';
export { goneRoute, nodesOf, type PipelineNode, type RouteEndpoint, type RuntimeRoute } from './route.ts';
export { type PipelineEnv, runStage, STAGE_START } from './stage.ts';
