import type { Cue } from './cue.ts';

const at = (score: number, pattern: RegExp): Cue => ({ signal: 'role_spoof', score, pattern });

/**
 * Conversation turns written into a text: chat-template tokens, headings, tags and `System:` lines. Harmless texts have tags and
 * transcripts too, so most of these count only together with what the turn says.
 */
export const roleSpoof: readonly Cue[] = [
  at(0.75, /<\|im_start\|>\s{0,3}(?:system|user|assistant|developer|tool)/u),
  at(0.75, /<\|start_header_id\|>\s{0,3}(?:system|user|assistant)\s{0,3}<\|end_header_id\|>/u),
  at(0.7, /<\|(?:system|user|assistant|developer)\|>\s{1,3}\S/u),
  at(0.75, /<start_of_turn>\s{0,3}(?:model|user)\s/u),
  at(0.7, /<<sys>>\s{0,3}\S/u),
  at(0.6, /\[inst\]\s{0,3}[\p{L}\p{N}'-]{1,24}\s[\p{L}\p{N}'-]{1,24}/u),
  at(0.3, /<\|(?:im_end|eot_id|end_of_text|endoftext|im_start|end|start_header_id|system)\|>|<\/s>|<end_of_turn>/u),
  at(
    0.6,
    /<\/(?:system|user_?input|prompt|tool_results?|function_results?)>\s{0,4}(?:<\/?(?:system|prompt|user|human)|(?:new|user|human|system|assistant|you)(?!\p{L}))/u,
  ),
  at(0.4, /<(?:system|developer)>\s{0,4}\p{L}/u),
  at(0.35, /<important>\s{0,4}\p{L}/u),
  at(
    0.6,
    /(?:^|\n)\s{0,3}#{2,6} ?(?:system|developer)(?: (?:prompt|message|override|update|instructions?)){0,2}\s?(?:#{2,6}|:)\s{0,3}(?!you are an? (?:helpful|friendly|expert))/u,
  ),
  at(0.6, /[[({]\s?(?:system|developer|admin)(?: (?:message|prompt|note|override|instructions?)){1,2}\s?[\])}]/u),
  at(0.45, /#{2,6} ?\(?(?:system|developer)_(?:message|prompt|instructions?)(?!\p{L})/u),
  at(0.5, /\[(?:system|assistant)\]\(#/u),
  at(
    0.55,
    /(?:system|developer|admin) (?:note|override|update|message|prompt|instruction)\s?:\s?(?:the assistant|you |all |grant |ignore |new |answer |obey )/u,
  ),
  at(0.55, /(?:begin|end|start) (?:system|hidden|admin) (?:override|prompt|instruction)s?/u),
  at(0.4, /"role"\s?:\s?"(?:system|developer)"\s?,\s?"content"\s?:\s?"(?!you are (?:an? )?(?:helpful|friendly))/u),
  at(
    0.55,
    /"role"\s?:\s?"(?:system|developer)"\s?,\s?"content"\s?:\s?"[^"]{0,80}(?:obey|filter|restriction|ignore|no longer|comply)/u,
  ),
  at(0.3, /(?:^|\n)\s{0,3}(?:human|user)\s?:[^\n]{0,400}\n{1,3}\s{0,3}(?:assistant|ai|bot|model)\s?:/u),
  at(
    0.6,
    /(?:assistant|ai|model)\s?: ?(?:sure|ok(?:ay)?|i understand|understood|yes)[^\n]{0,100}(?:ignore|disabled?|reveal|no longer|unrestricted|guidelines|filters)/u,
  ),
  at(0.6, /\n\n\s{0,3}system\s?: ?(?:the user|you|new|all|from now|ignore|disable|user)(?!\p{L})/u),
  at(0.5, /\n\n?\s{0,3}(?:human|user)\s?: ?(?:great|please|now|ok|yes|show|do|run|delete|go on|proceed)(?!\p{L})/u),
  at(0.3, /-{3}\s?end of (?:user )?(?:input|prompt|context|message)/u),
];
