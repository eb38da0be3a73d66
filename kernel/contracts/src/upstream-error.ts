/**
 * What an upstream may say of a refusal by a code: OpenAI's `error.code` and `error.type`, Anthropic's `error.type`, Google's `error.status`.
 * What is not in this list goes no further, since an upstream's own words may quote the caller.
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
  'model_not_found',
  'server_error',
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
