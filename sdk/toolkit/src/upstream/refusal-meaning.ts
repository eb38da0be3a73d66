import {
  codeOf,
  type FailureMeaning,
  isUpstreamErrorCode,
  type JsonObject,
  type JsonValue,
  meaningOf,
  type ProviderErrorKind,
  type ProviderErrorOptions,
  type UpstreamErrorCode,
} from '@svc/contracts';
import { contextLengthIn } from './context-length.ts';
import { wordsOf } from './error-words.ts';

/** What is kept of an upstream's error: codes and numbers, none of its words. */
export type RefusalDetails = Pick<ProviderErrorOptions, 'code' | 'param' | 'context_length'>;

/** Names and sentences of upstreams for what has no code that is known, by what they mean. */
const SIGNS: readonly (readonly [FailureMeaning, names: readonly string[], sentence: RegExp])[] = [
  [
    'quota',
    ['billing_not_active', 'insufficient_balance', 'insufficient_credits', 'exceeded_current_quota_error', 'credit_exhausted'],
    /credit balance is too low|insufficient (?:account )?(?:balance|credits?|funds|quota)|(?:used|exhausted) all (?:of )?(?:your |its |the )?(?:available )?credits|monthly spending limit|billing hard limit/i,
  ],
  [
    'content_policy',
    ['ResponsibleAIPolicyViolation', 'data_inspection_failed', 'content_policy', 'moderation_blocked', 'cyber_policy'],
    /content (?:filtering|management) policy|violat\w{1,6} (?:our|the) usage polic|usage policy|content policy|safety system|requires moderation/i,
  ],
  [
    'overloaded',
    ['engine_overloaded_error', 'service_unavailable_error', 'engine_overloaded'],
    /\boverloaded\b|currently (?:experiencing )?(?:over capacity|high demand)/i,
  ],
  [
    'unknown_model',
    ['DeploymentNotFound', 'model_not_available', 'ModelNotFoundError', 'invalid_model'],
    /\bmodels?[ :/]{1,2}["'`]?[^\s"'`]{1,160}["'`]? (?:is |was |could )?(?:not (?:be )?found|does not exist)|model not (?:exist|found)|not a valid model|model identifier is invalid|(?:invalid|unknown) model(?: name| id)?[:.]|no endpoints found|deployment for this resource does not exist/i,
  ],
];

/** Whether an upstream with this status can mean it; undefined: it came inside an answer that began well. */
function isPossible(meaning: FailureMeaning, status: number | undefined): boolean {
  if (status === undefined) return true;
  switch (meaning) {
    case 'context_length':
      return status === 400 || status === 413 || status === 422 || status >= 500;
    case 'quota':
      return status === 400 || status === 402 || status === 403 || status === 429;
    case 'content_policy':
      return status === 400 || status === 403 || status === 422 || status === 451;
    case 'overloaded':
      return status >= 500;
    case 'unknown_model':
      return status === 400 || status === 403 || status === 404 || status === 422;
  }
}

/** @param body of the refusal, as JSON or as it came. @param status undefined: of an error inside an answer. */
export function refusalDetails(body: JsonValue | undefined, status?: number): RefusalDetails {
  const { objects, texts } = wordsOf(body);
  const param = objects.map((each) => each.param).find((each) => typeof each === 'string');
  const kept = param === undefined ? {} : { param };
  const context_length = isPossible('context_length', status) ? contextLengthIn(objects, texts) : null;
  if (context_length !== null) return { ...kept, code: codeOf('context_length'), context_length };
  const code = knownCode(objects, status);
  if (meaningOf(code) !== undefined) return { ...kept, ...(code !== undefined && { code }) };
  const meaning = ownMeaning(status) ?? meaningIn(objects, texts, status);
  const told = meaning === undefined ? code : codeOf(meaning);
  return { ...kept, ...(told !== undefined && { code: told }) };
}

/** The one that means most: OpenAI's `error.type` says less than its `error.code`. One that means what the status cannot mean is none. */
function knownCode(objects: readonly JsonObject[], status: number | undefined): UpstreamErrorCode | undefined {
  const codes = objects
    .flatMap(({ code, type, status: name }) => [code, type, name])
    .filter(isUpstreamErrorCode)
    .map((code) => ({ code, meaning: meaningOf(code) }))
    .filter(({ meaning }) => meaning === undefined || isPossible(meaning, status));
  return (codes.find(({ meaning }) => meaning !== undefined) ?? codes[0])?.code;
}

function ownMeaning(status: number | undefined): FailureMeaning | undefined {
  if (status === 402) return 'quota';
  return status === 529 ? 'overloaded' : undefined;
}

function meaningIn(
  objects: readonly JsonObject[],
  texts: readonly string[],
  status: number | undefined,
): FailureMeaning | undefined {
  const names = new Set(objects.flatMap(({ code, type, innererror }) => [code, type, codeIn(innererror)]));
  const isModel = status === 404 && texts.some((text) => /^model: \S+$/.test(text));
  const found = SIGNS.find(
    ([meaning, own, sentence]) =>
      isPossible(meaning, status) && (own.some((name) => names.has(name)) || texts.some((text) => sentence.test(text))),
  );
  return found?.[0] ?? (isModel ? 'unknown_model' : undefined);
}

function codeIn(inner: JsonValue | undefined): JsonValue | undefined {
  return typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner.code : undefined;
}

/** What a failure means to the gateway, where its upstream said more than a status. */
export function kindOfCode({ code }: RefusalDetails, status: number): ProviderErrorKind | undefined {
  switch (meaningOf(code)) {
    case 'context_length':
    case 'content_policy':
      return 'invalid_request';
    case 'quota':
      // Another endpoint may have some left.
      return status === 429 ? 'rate_limited' : 'configuration';
    case 'unknown_model':
      return 'configuration';
    case 'overloaded':
      return 'unavailable';
    case undefined:
      return undefined;
  }
}
