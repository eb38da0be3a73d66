import { isProviderError, type JsonObject, ProviderError } from '@svc/sdk';
import type { ProviderErrorKind } from '@svc/sdk/provider';
import { failureOf, isObject, malformed, refusalError, reportedError, retryOf } from '@svc/toolkit/upstream';
import type { Call } from './call.ts';
import { kindOf } from './status-kind.ts';

/** AI SDK error names for requests that the package or its model does not support. */
const REFUSED: ReadonlySet<unknown> = new Set(['AI_UnsupportedFunctionalityError', 'AI_InvalidPromptError']);

/** AI SDK error names for answers that the package cannot read. */
const UNREADABLE: ReadonlySet<unknown> = new Set([
  'AI_EmptyResponseBodyError',
  'AI_InvalidResponseDataError',
  'AI_JSONParseError',
  'AI_NoContentGeneratedError',
  'AI_TypeValidationError',
]);

/** An error and its causes, outermost first. Stops if the chain is circular. */
function chainOf(error: unknown): object[] {
  const chain: object[] = [];
  for (let at = error; isObject(at) && chain.length < 16; at = at.cause) chain.push(at);
  return chain;
}

function stringsIn(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])));
}

/** Recognises an APICallError by its shape, because each package may bundle a copy of the class. */
function apiFailure(error: object, now: number): ProviderError | null {
  if (!('statusCode' in error)) return null;
  const { statusCode: status } = error;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 300 || status > 599) return null;
  const body = 'responseBody' in error && typeof error.responseBody === 'string' ? error.responseBody : '';
  const headers = 'responseHeaders' in error ? stringsIn(error.responseHeaders) : {};
  return refusalError(status, body, retryOf(headers, now), kindOf(status));
}

function hasName(chain: readonly object[], names: ReadonlySet<unknown>): boolean {
  return chain.some((error) => 'name' in error && names.has(error.name));
}

/** Whether the upstream answered but the package could not use the answer. */
function isAnswered(error: object): boolean {
  return 'statusCode' in error && typeof error.statusCode === 'number';
}

/** Whether this is an error object from the upstream's stream rather than an error of the package. */
function isReported(error: unknown): error is JsonObject {
  return isObject(error) && !(error instanceof Error) && typeof error.message === 'string';
}

const kind = (name: ProviderErrorKind, cause: string, status?: number): ProviderError =>
  new ProviderError(name, { cause, cost: 'none', ...(status !== undefined && { status }) });

/** The ProviderError for anything that a package threw or streamed. Contains none of its text. */
export function failureOfCall(error: unknown, call: Call, now: number): ProviderError {
  if (call.context.signal.aborted) return new ProviderError('aborted');
  const chain = chainOf(error);
  const known = chain.find(isProviderError) ?? chain.map((each) => apiFailure(each, now)).find((each) => each !== null);
  if (known !== undefined) return known;
  if (hasName(chain, REFUSED)) return kind('unsupported', 'a request that the package does not support', 400);
  // If nothing was sent, only the configuration can be wrong: a missing key, a region, an option.
  if (!call.sent) return kind('configuration', 'settings');
  if (hasName(chain, UNREADABLE) || chain.some(isAnswered)) return malformed('an answer that the package cannot read');
  if (isReported(error)) return reportedError(error);
  return failureOf(chain.find((each) => 'code' in each) ?? error, call.context.signal);
}
