/**
 * The known error codes of upstreams: OpenAI's `error.code` and `error.type`, Anthropic's `error.type`, Google's `error.status`. Other
 * values are not passed on, because they may quote the caller.
 */
export const UPSTREAM_ERROR_CODES = [
  'context_length_exceeded',
  'insufficient_quota',
  'billing_hard_limit_reached',
  'rate_limit_exceeded',
  'tokens',
  'requests',
  'unsupported_value',
  'unsupported_parameter',
  'unknown_parameter',
  'invalid_value',
  'invalid_type',
  'invalid_function_parameters',
  'invalid_json_schema',
  'missing_required_parameter',
  'integer_above_max_value',
  'integer_below_min_value',
  'decimal_above_max_value',
  'decimal_below_min_value',
  'string_above_max_length',
  'string_below_min_length',
  'array_above_max_length',
  'array_below_min_length',
  'invalid_prompt',
  'invalid_image',
  'invalid_image_format',
  'invalid_image_url',
  'invalid_base64_image',
  'image_too_large',
  'image_too_small',
  'image_parse_error',
  'failed_to_download_image',
  'image_content_policy_violation',
  'content_policy_violation',
  'content_filter',
  'bio_policy',
  'misalignment_policy_violation',
  'model_not_found',
  'server_error',
  'server_is_overloaded',
  'slow_down',
  'invalid_request_error',
  'authentication_error',
  'billing_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'rate_limit_error',
  'timeout_error',
  'api_error',
  'overloaded_error',
  'INVALID_ARGUMENT',
  'FAILED_PRECONDITION',
  'RESOURCE_EXHAUSTED',
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
] as const;
export type UpstreamErrorCode = (typeof UPSTREAM_ERROR_CODES)[number];

const KNOWN: ReadonlySet<unknown> = new Set(UPSTREAM_ERROR_CODES);

export function isUpstreamErrorCode(value: unknown): value is UpstreamErrorCode {
  return KNOWN.has(value);
}

/** The failures that a reader can act on, by meaning, with their codes. Clients of OpenAI's API know each meaning by its first code. */
const CODES_BY_MEANING = {
  context_length: ['context_length_exceeded'],
  quota: ['insufficient_quota', 'billing_hard_limit_reached', 'billing_error'],
  unknown_model: ['model_not_found'],
  content_policy: [
    'content_policy_violation',
    'content_filter',
    'image_content_policy_violation',
    'invalid_prompt',
    'bio_policy',
    'misalignment_policy_violation',
  ],
  overloaded: ['server_is_overloaded', 'overloaded_error', 'slow_down'],
} as const satisfies Record<string, readonly UpstreamErrorCode[]>;

export type FailureMeaning = keyof typeof CODES_BY_MEANING;

const MEANINGS: ReadonlyMap<UpstreamErrorCode | undefined, FailureMeaning> = new Map(
  Object.entries(CODES_BY_MEANING).flatMap(([meaning, codes]) => codes.map((code) => [code, meaning as FailureMeaning] as const)),
);

/** The meaning of a code. Undefined if the code says no more than the kind of failure does. */
export function meaningOf(code: UpstreamErrorCode | undefined): FailureMeaning | undefined {
  return MEANINGS.get(code);
}

/** The code that represents a meaning. */
export function codeOf(meaning: FailureMeaning): UpstreamErrorCode {
  return CODES_BY_MEANING[meaning][0];
}
