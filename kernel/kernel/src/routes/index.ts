export {
  anyEnforces,
  anyReadsNumbers,
  nodesOf,
  type PipelineNode,
  type RouteEndpoint,
  type RuntimeRoute,
} from '../runs/route.ts';
export { ROUTE_DEFAULTS } from '../runs/route-defaults.ts';
