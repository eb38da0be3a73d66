import {
  codeOf,
  type FailureMeaning,
  isObject,
  isUpstreamErrorCode,
  type JsonObject,
  type JsonValue,
  meaningOf,
  type ProviderErrorKind,
  type ProviderErrorOptions,
  type UpstreamErrorCode,
} from '@svc/contracts';
import { contextLengthIn, type TooLong } from './context-length.ts';
import { type ErrorWords, wordsOf } from './error-words.ts';
import { atBeginning, ownWords } from './own-words.ts';

/** The codes and numbers of an upstream's error that are kept. No text is kept. */
export type RefusalDetails = Pick<ProviderErrorOptions, 'code' | 'param' | 'context_length'>;

/**
 * @property isNamed whether a code or name identifies the meaning; if false, only the message does
 * @property isReference whether the request refers to something that the upstream does not have, such as a file
 */
export interface Refusal {
  readonly details: RefusalDetails;
  readonly isNamed: boolean;
  readonly isReference: boolean;
}

/**
 * The meaning of a refusal, which is more specific than its status. `key`, `access`: the endpoint's key, or its account's permissions. `reference`:
 * see {@link Refusal}.
 */
type Sign = FailureMeaning | 'key' | 'access' | 'reference';

/** Types that say no more than a status does, so the message is read as well. With other known codes, the message is not read. */
const GENERAL: ReadonlySet<UpstreamErrorCode | undefined> = new Set<UpstreamErrorCode | undefined>([
  undefined,
  'rate_limit_exceeded',
  'tokens',
  'requests',
  'server_error',
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'rate_limit_error',
  'timeout_error',
  'api_error',
  'INVALID_ARGUMENT',
  'FAILED_PRECONDITION',
  'RESOURCE_EXHAUSTED',
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
]);

/** Codes and messages of upstreams, by meaning. */
const SIGNS: readonly (readonly [Sign, names: readonly string[], sentence: RegExp])[] = [
  [
    'quota',
    [
      'billing_not_active',
      'insufficient_balance',
      'insufficient_credits',
      'exceeded_current_quota_error',
      'credit_exhausted',
      'credit_limit',
    ],
    atBeginning(
      /credit balance is too low|(?:key|credit) limit exceeded|insufficient (?:account )?(?:balance|credits?|funds|quota)|(?:used|exhausted) all (?:of )?(?:your |its |the )?(?:available )?credits|monthly spending limit|billing hard limit/,
    ),
  ],
  [
    'content_policy',
    ['ResponsibleAIPolicyViolation', 'data_inspection_failed', 'content_policy', 'moderation_blocked', 'cyber_policy'],
    atBeginning(
      /content (?:filtering|management) policy|violat\w{1,6} (?:(?:our|the) )?(?:usage|content) (?:polic|guideline)|safety system|\S{1,160} requires moderation/,
    ),
  ],
  [
    'overloaded',
    ['engine_overloaded_error', 'service_unavailable_error', 'engine_overloaded'],
    atBeginning(/\boverloaded\b|currently (?:experiencing )?(?:over capacity|high demand)/),
  ],
  [
    'unknown_model',
    ['DeploymentNotFound', 'model_not_available', 'ModelNotFoundError', 'invalid_model'],
    atBeginning(
      /\bmodels?[ :/]{1,2}["'`]?[^\s"'`]{1,160}["'`]? (?:is |was |could )?(?:not (?:be )?found|does not exist)|model not (?:exist|found)|\S{1,160} is not a valid model|model identifier is invalid|(?:invalid|unknown) model(?: name| id)?[:.]|no endpoints found for|deployment for this resource does not exist/,
    ),
  ],
  [
    'key',
    ['API_KEY_INVALID', 'API_KEY_SERVICE_BLOCKED', 'ACCESS_TOKEN_EXPIRED', 'UnrecognizedClientException'],
    atBeginning(
      /(?:invalid|incorrect|missing|expired|unknown) (?:api|access|subscription)[ -]?(?:key|token)|(?:api|access|subscription) key (?:(?:is )?(?:not valid|not found|invalid|expired)|was reported)|security token included in the request is (?:invalid|expired)|authentication fail|account \S{0,80} ?(?:is |has been )?(?:suspended|deactivated|disabled)/,
    ),
  ],
  ['access', [], atBeginning(/(?:location|country|region|territory)[\w, ]{0,40} (?:is )?not supported/)],
  [
    'reference',
    ['previous_response_not_found', 'file_not_found'],
    atBeginning(
      /no endpoints found that|no such file|\b(?:file|response|conversation|item|container|vector store|cached ?content|prompt|batch|image)s?\b[^.]{0,120}not (?:be )?found/,
    ),
  ],
];

/** Whether this meaning fits the status. The status is undefined for an error inside an answer that began with status 200. */
function isPossible(meaning: Sign, status: number | undefined): boolean {
  if (status === undefined) return meaning !== 'reference';
  switch (meaning) {
    case 'key':
      return status === 400 || status === 403 || status === 412;
    case 'access':
      return status === 400;
    case 'reference':
      return status === 404;
    case 'context_length':
      return status === 400 || status === 413 || status === 422 || status >= 500;
    case 'quota':
      return status === 400 || (status >= 401 && status <= 403) || status === 412 || status === 429;
    case 'content_policy':
      return status === 400 || status === 403 || status === 422 || status === 451;
    case 'overloaded':
      return status >= 500;
    case 'unknown_model':
      return status === 400 || status === 403 || status === 404 || status === 422;
  }
}

/**
 * @param body the refusal's body: parsed JSON or raw text
 * @param status undefined for an error inside an answer
 */
export function refusalDetails(body: JsonValue | undefined, status?: number): RefusalDetails {
  return refusalIn(body, status).details;
}

/** Like {@link refusalDetails}, but also says where the meaning comes from. */
export function refusalIn(body: JsonValue | undefined, status?: number): Refusal {
  const words = wordsOf(body);
  const param = words.objects.map((each) => each.param).find((each) => typeof each === 'string');
  const kept = param === undefined ? {} : { param };
  const known = knownCode(words.objects, status);
  const tooLong = contextLengthIn(words);
  if (tooLong !== null && isTooLong(tooLong, known, status)) {
    const details = { ...kept, code: codeOf('context_length'), context_length: tooLong.length };
    return { details, isNamed: tooLong.isNamed, isReference: false };
  }
  const sign = meaningOf(known) ?? ownMeaning(status) ?? (GENERAL.has(known) ? signIn(words, status) : undefined);
  const code = meaningOf(known) === undefined ? (codeOfSign(sign) ?? known) : known;
  const isReference = sign === 'reference' || (sign === undefined && status === 404 && param !== undefined && param !== 'model');
  return { details: { ...kept, ...(code !== undefined && { code }) }, isNamed: code === known, isReference };
}

/** Anthropic's type, used if the upstream's code is not a known one. */
function codeOfSign(sign: Sign | undefined): UpstreamErrorCode | undefined {
  switch (sign) {
    case 'key':
      return 'authentication_error';
    case 'access':
      return 'permission_error';
    case 'reference':
    case undefined:
      return undefined;
    default:
      return codeOf(sign);
  }
}

function isFailure(status: number | undefined): boolean {
  return status !== undefined && status >= 500;
}

function isTooLong({ length, isNamed }: TooLong, known: UpstreamErrorCode | undefined, status: number | undefined): boolean {
  if (!isPossible('context_length', status)) return false;
  return isNamed || (GENERAL.has(known) && (!isFailure(status) || (length.tokens !== null && length.limit !== null)));
}

/** The most specific code. OpenAI's `error.code` is more specific than its `error.type`. A code that contradicts the status is ignored. */
function knownCode(objects: readonly JsonObject[], status: number | undefined): UpstreamErrorCode | undefined {
  const codes = objects
    .flatMap(({ code, type, status: name }) => [code, type, name])
    .filter(isUpstreamErrorCode)
    .map((code) => ({ code, meaning: meaningOf(code) }))
    .filter(({ meaning }) => meaning === undefined || isPossible(meaning, status));
  return (codes.find(({ meaning }) => meaning !== undefined) ?? codes.find(({ code }) => !GENERAL.has(code)) ?? codes[0])?.code;
}

function ownMeaning(status: number | undefined): FailureMeaning | undefined {
  if (status === 402) return 'quota';
  return status === 529 ? 'overloaded' : undefined;
}

function signIn({ objects, classes, texts }: ErrorWords, status: number | undefined): Sign | undefined {
  const codes = objects.flatMap(({ code, type, innererror, details }) => [code, type, codeIn(innererror), ...reasonsIn(details)]);
  const names = new Set([...classes, ...codes]);
  const words = texts.map(ownWords);
  const isModel = status === 404 && words.some((text) => /^model: \S+$/.test(text));
  const found = SIGNS.find(
    ([meaning, own, sentence]) =>
      isPossible(meaning, status) && (own.some((name) => names.has(name)) || words.some((text) => sentence.test(text))),
  );
  return found?.[0] ?? (isModel ? 'unknown_model' : undefined);
}

/** Google's `ErrorInfo`. */
function reasonsIn(details: JsonValue | undefined): (JsonValue | undefined)[] {
  return Array.isArray(details) ? details.map((each) => (isObject(each) ? each.reason : undefined)) : [];
}

function codeIn(inner: JsonValue | undefined): JsonValue | undefined {
  return isObject(inner) ? inner.code : undefined;
}

/** The failure for an upstream's error. Undefined if only the status says anything. */
export function kindOfRefusal({ details, isNamed, isReference }: Refusal, status: number): ProviderErrorKind | undefined {
  if (isReference) return 'invalid_request';
  switch (meaningOf(details.code)) {
    case 'context_length':
      // An upstream that fails without a code counts as unavailable.
      return isFailure(status) && !isNamed ? undefined : 'invalid_request';
    case 'content_policy':
      return 'invalid_request';
    case 'quota':
      // Another endpoint may have quota left.
      return status === 429 ? 'rate_limited' : 'configuration';
    case 'unknown_model':
      return 'configuration';
    case 'overloaded':
      return 'unavailable';
    case undefined:
      return status < 500 && OF_ACCOUNT.includes(details.code) ? 'configuration' : undefined;
  }
}

/** Codes with which an upstream rejects the endpoint's key or account, whatever the status. */
const OF_ACCOUNT: readonly unknown[] = ['authentication_error', 'permission_error'] satisfies UpstreamErrorCode[];
