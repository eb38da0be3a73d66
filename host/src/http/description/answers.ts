import { ERROR_CODES, type ErrorCode } from '@svc/contracts';
import { FINAL, OVERLOADED } from '../errors.ts';
import type { HeaderName } from './headers.ts';

/** An error that an endpoint gives, with its status where that is not the one of the table of codes. */
type Fault = ErrorCode | { readonly code: ErrorCode; readonly status: number };

export interface Answers {
  /** Beside those of every endpoint. */
  readonly faults: readonly Fault[];
  /** Of its 200. */
  readonly headers: readonly HeaderName[];
  /** Counts against a visitor's quota with `--demo`. */
  readonly metered?: true;
}

const BODY: readonly Fault[] = ['SVC-REQ-002', 'SVC-REQ-004', 'SVC-REQ-005'];
const RUN: readonly Fault[] = ['SVC-RUN-001', 'SVC-STORE-001'];
const OF_RUN: readonly HeaderName[] = ['x-svc-run-id', 'x-svc-evidence'];
const OF_ANSWER: readonly HeaderName[] = [...OF_RUN, 'x-svc-left-out', 'x-svc-retry-at'];
/** Of whatever is asked of a provider in a protocol of chats. */
const OF_CHAT: readonly HeaderName[] = [...OF_ANSWER, 'x-svc-unsupported'];
const QUOTA: readonly HeaderName[] = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
const KEY: readonly Fault[] = ['SVC-KEY-001', 'SVC-KEY-002', 'SVC-STORE-001'];
const LIMITS: readonly Fault[] = ['SVC-LIMIT-001', 'SVC-LIMIT-002', 'SVC-LIMIT-003'];
const LEFT: readonly HeaderName[] = (['limit', 'remaining', 'reset'] as const).flatMap((fact) => [
  `x-ratelimit-${fact}-requests` as const,
  `x-ratelimit-${fact}-tokens` as const,
]);
const PAGE: Answers = { faults: ['SVC-STORE-001'], headers: ['link'] };
/** What a model's or an embedder's provider leads to; its own refusals keep their status. */
const UPSTREAM: readonly Fault[] = [
  'SVC-PROV-001',
  'SVC-PROV-002',
  'SVC-PROV-003',
  ...[400, 413, 422, 429].map((status): Fault => ({ code: 'SVC-PROV-003', status })),
  'SVC-REQ-006',
  'SVC-PROV-004',
  'SVC-PROV-005',
  'SVC-PROV-006',
  'SVC-PROV-007',
  'SVC-PROV-008',
  'SVC-PROV-009',
];
const RAG: readonly Fault[] = [...BODY, ...LIMITS, 'SVC-RAG-001', 'SVC-BUSY-001', 'SVC-STORE-001', ...UPSTREAM];

const ASKS: readonly Fault[] = [...BODY, ...LIMITS, 'SVC-ROUTE-001', 'SVC-BUSY-001', 'SVC-OPS-001', 'SVC-STORE-001', ...UPSTREAM];
/** What a route with `stops: error` answers where others answer a text. */
const STOPS = ['SVC-RUN-008', 'SVC-RUN-009'] as const;
/** Operations that ask a model through a door: what was refused before there was a run has none. */
const DOORS: readonly string[] = [
  'createChatCompletion',
  'createCompletion',
  'createResponse',
  'createMessage',
  'createEmbeddings',
];

/** Operations of Anthropic's API. */
const ANTHROPIC: readonly string[] = ['createMessage', 'countMessageTokens'];

/** What the server answers on each operation beside the body that its schema tells. */
const ANSWERS: Readonly<Record<string, Answers>> = {
  createChatCompletion: { faults: [...ASKS, ...STOPS], headers: OF_CHAT, metered: true },
  createCompletion: { faults: [...ASKS, ...STOPS], headers: OF_CHAT, metered: true },
  createResponse: { faults: [...ASKS, ...STOPS, 'SVC-RUN-001', 'SVC-RUN-005'], headers: OF_CHAT, metered: true },
  createMessage: { faults: [...ASKS, ...STOPS, { code: 'SVC-PROV-008', status: OVERLOADED }], headers: OF_CHAT, metered: true },
  countMessageTokens: {
    faults: [...BODY, ...LIMITS, 'SVC-ROUTE-001', 'SVC-BUSY-001', 'SVC-OPS-001'],
    headers: [],
    metered: true,
  },
  createEmbeddings: {
    faults: [...ASKS, 'SVC-ROUTE-002', 'SVC-RUN-007'],
    headers: [...OF_RUN, 'x-svc-unsupported'],
    metered: true,
  },
  listModels: { faults: [], headers: [] },
  getModel: { faults: ['SVC-ROUTE-001'], headers: [] },
  createRun: {
    faults: [...BODY, ...LIMITS, 'SVC-ROUTE-001', 'SVC-RUN-006', 'SVC-BUSY-001', 'SVC-OPS-001', 'SVC-STORE-001'],
    headers: OF_CHAT,
    metered: true,
  },
  getRun: { faults: RUN, headers: OF_RUN },
  resumeRun: {
    faults: [...BODY, ...RUN, 'SVC-AUTH-003', 'SVC-RUN-002', 'SVC-RUN-003', 'SVC-RUN-005', 'SVC-BUSY-001', 'SVC-OPS-001'],
    headers: OF_ANSWER,
    metered: true,
  },
  getPendingRun: { faults: [...RUN, 'SVC-AUTH-003', 'SVC-RUN-002', 'SVC-RUN-003', 'SVC-RUN-005'], headers: [] },
  getRunResponse: { faults: [...RUN, 'SVC-AUTH-003', 'SVC-RUN-004', 'SVC-RUN-005'], headers: [] },
  getRunRequest: { faults: [...RUN, 'SVC-AUTH-003', 'SVC-RUN-004', 'SVC-RUN-005'], headers: [] },
  getResponse: { faults: [...RUN, 'SVC-RUN-005'], headers: [...OF_RUN, 'x-svc-left-out'] },
  deleteResponse: {
    faults: [...RUN, 'SVC-RUN-002', 'SVC-RUN-004', 'SVC-RUN-005', 'SVC-LIMIT-003', 'SVC-BUSY-001'],
    headers: ['x-svc-run-id'],
    metered: true,
  },
  eraseRunContent: {
    faults: [...RUN, 'SVC-AUTH-003', 'SVC-RUN-002', 'SVC-RUN-004', 'SVC-LIMIT-003', 'SVC-BUSY-001'],
    headers: ['x-svc-run-id'],
    metered: true,
  },
  listRuns: PAGE,
  listLedgerRecords: PAGE,
  listInventory: PAGE,
  getReport: { faults: ['SVC-STORE-001'], headers: [] },
  getCheckpoint: { faults: ['SVC-STORE-001'], headers: [] },
  getLedgerKeys: { faults: ['SVC-STORE-001'], headers: [] },
  getProof: { faults: ['SVC-STORE-001'], headers: [] },
  listOperations: PAGE,
  getOperationsCheckpoint: { faults: ['SVC-STORE-001'], headers: [] },
  getOperationsProof: { faults: ['SVC-STORE-001'], headers: [] },
  listRoutes: { faults: [], headers: [] },
  indexDocuments: { faults: [...RAG, 'SVC-RAG-002', 'SVC-RAG-003'], headers: [], metered: true },
  deleteDocuments: { faults: [...BODY, 'SVC-LIMIT-003', 'SVC-RAG-001', 'SVC-STORE-001'], headers: [], metered: true },
  eraseNamespace: { faults: ['SVC-LIMIT-003', 'SVC-RAG-001', 'SVC-BUSY-001', 'SVC-STORE-001'], headers: [], metered: true },
  queryDocuments: { faults: [...RAG, 'SVC-RAG-003'], headers: [], metered: true },
  listStates: { faults: [], headers: [] },
  setState: { faults: [...BODY, 'SVC-OPS-003', 'SVC-OPS-004', 'SVC-STORE-001'], headers: [] },
  getConfiguration: { faults: [], headers: [] },
  applyConfiguration: { faults: [...BODY, 'SVC-CONF-001', 'SVC-CONF-002', 'SVC-BUSY-001', 'SVC-STORE-001'], headers: [] },
  getUsage: { faults: ['SVC-LIMIT-003', 'SVC-STORE-001'], headers: [] },
  createKey: { faults: [...BODY, 'SVC-STORE-001'], headers: [], metered: true },
  listKeys: PAGE,
  rotateKey: { faults: [...BODY, ...KEY], headers: [], metered: true },
  revokeKey: { faults: KEY, headers: [], metered: true },
  getHealth: { faults: [], headers: [] },
  getLiveness: { faults: [], headers: [] },
  getReadiness: { faults: [], headers: [] },
  getMetrics: { faults: [], headers: [] },
  getOpenApi: { faults: [], headers: [] },
  getSession: { faults: ['SVC-AUTH-001', 'SVC-AUTH-002', 'SVC-STORE-001'], headers: [] },
  signIn: { faults: ['SVC-REQ-003', 'SVC-AUTH-004'], headers: [] },
  completeSignIn: { faults: ['SVC-REQ-003', 'SVC-AUTH-001', 'SVC-AUTH-004', 'SVC-STORE-001'], headers: [] },
  signOut: { faults: ['SVC-AUTH-001', 'SVC-AUTH-002', 'SVC-STORE-001'], headers: [] },
  getApprovalsPage: { faults: [], headers: ['content-security-policy'] },
  getShowcasePage: { faults: [], headers: ['content-security-policy'] },
};

/** Of every request; those without a key are asked for none. */
const COMMON: readonly ErrorCode[] = ['SVC-REQ-001', 'SVC-INT-001'];
const SIGNED_IN: readonly ErrorCode[] = ['SVC-AUTH-001', 'SVC-AUTH-002', 'SVC-AUTH-004', 'SVC-OPS-002', 'SVC-BUSY-002'];

/** @throws {Error} for an operation that nobody told what it answers */
function answersOf(operationId: string): Answers {
  const answers = ANSWERS[operationId];
  if (answers === undefined) throw new Error(`${operationId} is not in the table of answers`);
  return answers;
}

/** The codes that an operation may answer with, by status. */
export function faultsOf(operationId: string, isPublic: boolean): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  const { faults, metered } = answersOf(operationId);
  const quota: readonly Fault[] = metered === true ? ['SVC-RATE-001'] : [];
  for (const fault of [...COMMON, ...(isPublic ? [] : SIGNED_IN), ...quota, ...faults]) {
    const { code, status } = typeof fault === 'string' ? { code: fault, status: ERROR_CODES[fault].status } : fault;
    if (status !== null) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

/** Headers that come with a status. */
export function headersOf(status: number, operationId: string): HeaderName[] {
  const named: HeaderName[] = ANTHROPIC.includes(operationId) ? ['x-request-id', 'request-id'] : ['x-request-id'];
  return [...named, ...ownHeadersOf(status, operationId)];
}

function ownHeadersOf(status: number, operationId: string): HeaderName[] {
  const { headers, metered, faults } = answersOf(operationId);
  // Who has no key has no quota.
  if (status === 401) return ['www-authenticate', ...headers.filter((name) => name === 'content-security-policy')];
  const limited = faults.includes('SVC-LIMIT-001') && ![403, 404, 415].includes(status);
  const own = status < 300 ? headers : faultHeaders(status, operationId);
  return [...own, ...(metered === true ? QUOTA : []), ...(limited ? LEFT : [])];
}

function faultHeaders(status: number, operationId: string): HeaderName[] {
  const waits: HeaderName[] = status === 429 || status === 503 || status === OVERLOADED ? ['retry-after'] : [];
  if (DOORS.includes(operationId)) {
    const provider: HeaderName[] = status === 429 ? ['retry-after-ms'] : [];
    return [403, 404, 415].includes(status) ? [] : [...OF_RUN, ...waits, ...provider, 'x-should-retry'];
  }
  // A run that was to pause where too many wait has ended.
  if (operationId === 'createRun' && status === 429) return [...OF_RUN, ...waits, 'x-should-retry'];
  const { faults } = answersOf(operationId);
  const isOfRun = faults.includes('SVC-RUN-001') && [403, 409, 410, 500, 503].includes(status);
  const isFinal = faults.some((fault) => typeof fault === 'string' && FINAL.has(fault) && ERROR_CODES[fault].status === status);
  return [...(isOfRun ? (['x-svc-run-id'] as const) : []), ...waits, ...(isFinal ? (['x-should-retry'] as const) : [])];
}
