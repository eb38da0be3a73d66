import type { AnswerBody, NodeSettings, Protocol, RequestBody, Segment } from '@svc/contracts';
import { ROUTE_DEFAULTS } from '@svc/kernel/routes';
import { collectRequest, collectTable } from './collect.ts';

/** The texts of a body for a node with this scope. @param numbers whether its guard reads numbers */
export type SegmentsFor = (scope: NodeSettings['scope'], numbers: boolean) => readonly Segment[];

/**
 * The texts of a request or, if there is one, of an answer, as guards see them on a route with the default settings for origins.
 * @throws {TooMuchJson}
 */
export function segmentsIn(protocol: Protocol, request: RequestBody, answer: AnswerBody | null): SegmentsFor {
  const payload = answer === null ? collectRequest(protocol, request) : collectTable(protocol.answer, answer);
  payload.untrusted = ROUTE_DEFAULTS.untrusted;
  return (scope, numbers) => payload.seen(scope, numbers).segments;
}
