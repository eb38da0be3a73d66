import { words } from '../common/words.ts';

/** Field names that may appear in paths and events. Any other key was chosen by a caller or a model and appears as a number. */
export const CHAT_NAMES = words(
  `messages prompt suffix echo best_of role delta content text type name tool_calls tool_call_id id function arguments custom input refusal reasoning_content
  image_url url detail input_audio audio data format file file_data file_id filename annotations function_call
  choices message index finish_reason logprobs usage object created model system_fingerprint service_tier
  tools functions description parameters properties items required enum strict tool_choice parallel_tool_calls
  response_format json_schema schema stop stream stream_options n seed user metadata store temperature top_p top_logprobs
  max_tokens max_completion_tokens presence_penalty frequency_penalty logit_bias modalities prediction reasoning_effort
  include_usage include_obfuscation logit_bias prompt_tokens completion_tokens total_tokens
  prompt_tokens_details completion_tokens_details cached_tokens audio_tokens reasoning_tokens
  accepted_prediction_tokens rejected_prediction_tokens reasoning_content grammar syntax definition
  additionalProperties anyOf oneOf allOf const default title format pattern minimum maximum minLength maxLength minItems maxItems
  $ref $defs url_citation start_index end_index approximate city country region timezone
  verbosity safety_identifier prompt_cache_key prompt_cache_retention web_search_options search_context_size user_location voice
  obfuscation svc_left_out encoding_format dimensions
  reasoning reasoning_details summary thinking_blocks thinking signature extra_content google thought_signature
  cache_control ttl budget_tokens display context_management edits output_config effort anthropic_beta anthropic_version
  content_filter_results content_filter_offsets prompt_filter_results prompt_index hate self_harm sexual violence jailbreak profanity
  protected_material_text protected_material_code severity filtered detected citations search_results provider native_finish_reason
  images context executed_tools cache_creation_tokens reasoning_summary vendor_calls content_parts action query queries sources status`,
);
