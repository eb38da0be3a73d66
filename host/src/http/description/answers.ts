import { ERROR_CODES, type ErrorCode } from '@svc/contracts';
import type { FastifyContextConfig } from 'fastify';
import { FINAL, isAnthropicPath, OVERLOADED } from '../errors.ts';
import type { Endpoint, EndpointError } from './endpoint.ts';
import type { HeaderName } from './headers.ts';

/** Errors and headers that several endpoints share. */
export const LIMITS = ['SVC-LIMIT-001', 'SVC-LIMIT-002', 'SVC-LIMIT-003'] as const;
export const RUN = ['SVC-RUN-001', 'SVC-STORE-001'] as const;
export const RUN_HEADERS = ['x-svc-run-id', 'x-svc-evidence'] as const;
export const OUTCOME_HEADERS = [...RUN_HEADERS, 'x-svc-left-out', 'x-svc-retry-at'] as const;
export const CHAT_HEADERS = [...OUTCOME_HEADERS, 'x-svc-unsupported'] as const;
/** Errors of a route with `stops: error`. */
export const STOPS = ['SVC-RUN-008', 'SVC-RUN-009'] as const;
/** Errors of the provider of a model or an embedder. If the upstream refuses a request, its status is kept. */
export const UPSTREAM: readonly EndpointError[] = [
  'SVC-PROV-001',
  'SVC-PROV-002',
  'SVC-PROV-003',
  ...[400, 413, 422, 429].map((status): EndpointError => ({ code: 'SVC-PROV-003', status })),
  'SVC-REQ-006',
  'SVC-PROV-004',
  'SVC-PROV-005',
  'SVC-PROV-006',
  'SVC-PROV-007',
  'SVC-PROV-008',
  'SVC-PROV-009',
];

/** For every endpoint that asks a model through a door. */
export const ASKS_MODEL = {
  roles: ['call'],
  metered: true,
  errors: [...LIMITS, 'SVC-ROUTE-001', 'SVC-BUSY-001', 'SVC-OPS-001', 'SVC-STORE-001', ...UPSTREAM],
  headers: CHAT_HEADERS,
  errorHeaders: (status) => {
    // The request was refused before a run existed.
    if (BEFORE_RUN.includes(status)) return [];
    return [...RUN_HEADERS, ...waitHeaders(status), ...(status === 429 ? (['retry-after-ms'] as const) : []), 'x-should-retry'];
  },
} satisfies FastifyContextConfig;

const BEFORE_RUN: readonly number[] = [403, 404, 415];
const BODY = ['SVC-REQ-002', 'SVC-REQ-004', 'SVC-REQ-005'] as const;
const EVERYWHERE = ['SVC-REQ-001', 'SVC-INT-001'] as const;
const AUTHENTICATED = ['SVC-AUTH-001', 'SVC-AUTH-002', 'SVC-AUTH-004', 'SVC-OPS-002', 'SVC-BUSY-002'] as const;
const QUOTA = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'] as const;
const LEFT = (['limit', 'remaining', 'reset'] as const).flatMap(
  (fact) => [`x-ratelimit-${fact}-requests`, `x-ratelimit-${fact}-tokens`] as const,
);

/** Whether an endpoint needs no key. */
export function isOpen({ public: isPublic, probe }: FastifyContextConfig): boolean {
  return isPublic === true || probe === true;
}

/** All error codes of an endpoint, by status. */
export function errorsOf({ config, takesBody }: Endpoint): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  const all: readonly EndpointError[] = [
    ...EVERYWHERE,
    ...(isOpen(config) ? [] : AUTHENTICATED),
    ...(config.metered === true ? (['SVC-RATE-001'] as const) : []),
    ...(takesBody ? BODY : []),
    ...(config.errors ?? []),
  ];
  for (const error of all) {
    const { code, status } = typeof error === 'string' ? { code: error, status: ERROR_CODES[error].status } : error;
    if (status !== null) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

/** The headers of a status. */
export function headersOf(status: number, { config, path }: Endpoint): HeaderName[] {
  const { headers = [], metered, errors = [], errorHeaders = (_, usual) => usual } = config;
  const id: HeaderName[] = isAnthropicPath(path) ? ['x-request-id', 'request-id'] : ['x-request-id'];
  // A caller without a key has no quota.
  if (status === 401) return [...id, 'www-authenticate', ...headers.filter((name) => name === 'content-security-policy')];
  const isLimited = errors.includes('SVC-LIMIT-001') && !BEFORE_RUN.includes(status);
  const own = status < 300 ? headers : errorHeaders(status, usualErrorHeaders(status, errors));
  return [...id, ...own, ...(metered === true ? QUOTA : []), ...(isLimited ? LEFT : [])];
}

function usualErrorHeaders(status: number, errors: readonly EndpointError[]): HeaderName[] {
  const hasRun = errors.includes('SVC-RUN-001') && [403, 409, 410, 500, 503].includes(status);
  const isFinal = errors.some((error) => typeof error === 'string' && FINAL.has(error) && ERROR_CODES[error].status === status);
  return [...(hasRun ? ['x-svc-run-id' as const] : []), ...waitHeaders(status), ...(isFinal ? ['x-should-retry' as const] : [])];
}

function waitHeaders(status: number): HeaderName[] {
  return [429, 503, OVERLOADED].includes(status) ? ['retry-after'] : [];
}
