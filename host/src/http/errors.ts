import { type ErrorCode, isStoreError, isSvcError, SvcError } from '@svc/contracts';
import { paramOf } from '@svc/protocols';
import type { FastifyError, FastifyReply, FastifySchemaValidationError } from 'fastify';
import { nearestName } from '../config/nearest.ts';
import { isAnthropicClient } from './anthropic-client.ts';
import { ConfigurationRefused } from './refused-configuration.ts';
import type { ErrorBody } from './schemas.ts';
import { anthropicTooLong, openAiTooLong } from './too-long.ts';

type ErrorObject = NonNullable<ErrorBody['error']>;

/** OpenAI's `error.type` for a status. */
function openAiType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 404) return 'not_found_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'api_error';
}

/** The error types of OpenAI and Anthropic for codes that say more than their status. Clients act on these types. */
const TYPES: Partial<Record<ErrorCode, { readonly openai: string; readonly anthropic: string }>> = {
  'SVC-PROV-004': { openai: 'invalid_request_error', anthropic: 'invalid_request_error' },
  'SVC-PROV-005': { openai: 'insufficient_quota', anthropic: 'billing_error' },
  'SVC-PROV-006': { openai: 'invalid_request_error', anthropic: 'not_found_error' },
  'SVC-PROV-007': { openai: 'invalid_request_error', anthropic: 'invalid_request_error' },
  'SVC-PROV-008': { openai: 'service_unavailable_error', anthropic: 'overloaded_error' },
};

/** OpenAI's `error` object. Its official clients read the message from it. */
export function openAiError(error: SvcError): ErrorObject {
  const { message, status, code, upstream, param } = error;
  return {
    message: code === 'SVC-PROV-004' ? openAiTooLong(error.context_length) : message,
    type: TYPES[code]?.openai ?? openAiType(status),
    code: upstream?.code ?? code,
    param: param ?? null,
  };
}

/** Anthropic's `error.type` for a status. */
function anthropicType(status: number): string {
  if (status === 413) return 'request_too_large';
  if (status === 503) return 'overloaded_error';
  return status === 504 ? 'timeout_error' : openAiType(status);
}

/** Anthropic's `error` object, with the code of the gateway added. */
export function anthropicError(error: SvcError): ErrorObject {
  return {
    ...openAiError(error),
    ...(error.code === 'SVC-PROV-004' ? { message: anthropicTooLong(error.context_length) } : {}),
    type: TYPES[error.code]?.anthropic ?? anthropicType(error.status),
    ...(error.code === 'SVC-REQ-001' && error.param === 'thread' ? { details: NO_THREADS } : {}),
  };
}

/** Makes Anthropic's clients send the whole conversation and use no threads from then on. */
const NO_THREADS = { error_code: 'thread_unsupported_request' };

/** Anthropic's status for an overloaded API. */
export const OVERLOADED = 529;

/** Whether a path is part of Anthropic's API. */
export function isAnthropicPath(path: string): boolean {
  return path.startsWith('/v1/messages');
}

/** Whether a path is part of a vendor's API, whose clients may send parameters that the gateway does not know. */
export function isVendorPath(path: string): boolean {
  return isAnthropicPath(path) || OPENAI_PATHS.test(path);
}

/** Paths that clients of both APIs use: the models, and unknown paths. */
const OF_BOTH = /^(?:\/v1\/models.*)?$/;

/** Whether a client of OpenAI may get this error, for example for a wrong path or key. Such a client reads the message from `error`. */
function isForOpenAiClients(path: string, { code, status }: SvcError): boolean {
  return OPENAI_PATHS.test(path) || status === 401 || code === 'SVC-REQ-003';
}

const OPENAI_PATHS = /^\/v1\/(chat\/completions$|responses|embeddings$|models)/;

/** Errors that clients would retry, although the result would be the same. */
export const FINAL: ReadonlySet<ErrorCode> = new Set([
  'SVC-RUN-002',
  'SVC-RUN-006',
  'SVC-RUN-008',
  'SVC-RUN-009',
  'SVC-OPS-001',
  'SVC-PROV-005',
  'SVC-PROV-006',
  'SVC-PROV-009',
]);

/** Sends an error without its cause, a stack or a file path. */
export function sendError(error: SvcError, path: string, reply: FastifyReply): FastifyReply {
  const { code, message } = error;
  const isAnthropic = isAnthropicPath(path) || (OF_BOTH.test(path) && isAnthropicClient(reply.request));
  const status = isAnthropic && code === 'SVC-PROV-008' ? OVERLOADED : error.status;
  const body: ErrorBody = { code, detail: message };
  const { door } = reply.request.routeOptions.config;
  if (error instanceof ConfigurationRefused) body.diagnostics = [...error.diagnostics];
  if (door !== undefined) Object.assign(body, door.errorBody(error));
  else if (isAnthropic) {
    const { id } = reply.request;
    Object.assign(body, { type: 'error', error: anthropicError(error), request_id: id });
  } else if (isForOpenAiClients(path, error)) body.error = openAiError(error);
  if (error.run_id !== undefined) reply.header('x-svc-run-id', error.run_id);
  if (error.retry_after_s !== undefined) reply.header('retry-after', String(error.retry_after_s));
  if (error.retry_after_ms !== undefined) reply.header('retry-after-ms', String(error.retry_after_ms));
  if (error.paid || FINAL.has(code)) reply.header('x-should-retry', 'false');
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** Converts an error of a handler, of the validator or of the server itself. */
export function asSvcError(error: unknown): SvcError {
  if (isSvcError(error)) return error;
  if (isStoreError(error))
    return new SvcError('SVC-STORE-001', 'the store cannot be read or written at the moment; try again later', { cause: error });
  const fault = error as Partial<FastifyError>;
  if (fault.validation !== undefined)
    return new SvcError('SVC-REQ-001', validationMessage(fault), { ...validationParam(fault), cause: error });
  switch (fault.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new SvcError('SVC-REQ-004', 'the body must be sent as application/json', { cause: error });
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new SvcError('SVC-REQ-001', 'the body is empty', { cause: error });
    default:
      break;
  }
  // Fastify and its JSON parser give client errors a 4xx status. Their messages may quote the body.
  const status = fault.statusCode ?? 500;
  if (status >= 400 && status < 500) return new SvcError('SVC-REQ-001', 'the body is not valid JSON', { cause: error });
  return new SvcError('SVC-INT-001', 'internal error; ask the operator to check the log', { cause: error });
}

/** Where the value is invalid and what is expected there, without the value: `body/messages must be array`. */
function validationMessage({ validation, validationContext }: Partial<FastifyError>): string {
  const [first] = validation ?? [];
  if (first === undefined) return 'the request is malformed';
  const missing = first.keyword === 'required' ? '' : (first.instancePath ?? '');
  const allowed = first.params?.allowedValues;
  if (first.keyword === 'additionalProperties') return `${validationContext ?? 'request'}${missing} ${unknownMessage(first)}`;
  const message = Array.isArray(allowed) ? `must be one of ${allowed.join(', ')}` : typesMessage(first, validation ?? []);
  return `${validationContext ?? 'request'}${missing} ${message}`;
}

/** The message does not contain the unknown name, because it is text of the caller. */
function unknownMessage({
  params,
  parentSchema,
}: FastifySchemaValidationError & { parentSchema?: { properties?: object } }): string {
  const known = Object.keys(parentSchema?.properties ?? {});
  const nearest = nearestName(String(params.additionalProperty), known);
  if (nearest !== undefined) return `has an unknown field: did you mean ${nearest}?`;
  return known.length === 0 ? 'must be empty' : `has an unknown field; known fields are ${known.join(', ')}`;
}

/** The invalid field. Empty if the whole body is invalid. */
function validationParam({ validation }: Partial<FastifyError>): { param?: string } {
  const [first] = validation ?? [];
  const names = first?.instancePath?.split('/').slice(1) ?? [];
  const missing = first?.keyword === 'required' ? first.params.missingProperty : undefined;
  const param = paramOf(typeof missing === 'string' ? [...names, missing] : names);
  return param === '' ? {} : { param };
}

/** If a value may have several types, names all of them and not only the first. */
function typesMessage(first: FastifySchemaValidationError, all: readonly FastifySchemaValidationError[]): string {
  const types = all.filter(({ keyword, instancePath }) => keyword === 'type' && instancePath === first.instancePath);
  if (first.keyword !== 'type' || types.length < 2) return first.message ?? 'is malformed';
  return `must be ${[...new Set(types.map(({ params }) => String(params.type)))].join(' or ')}`;
}
