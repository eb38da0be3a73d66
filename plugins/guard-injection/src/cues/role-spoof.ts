import type { Cue } from './cue.ts';

const at = (score: number, pattern: RegExp): Cue => ({ signal: 'role_spoof', score, pattern });

/** Turns of a conversation written into a text: chat-template tokens, headings, tags and `System:` lines. */
export const roleSpoof: readonly Cue[] = [
  at(0.75, /<\|im_start\|>\s{0,3}(?:system|user|assistant|developer|tool)/u),
  at(0.75, /<\|start_header_id\|>\s{0,3}(?:system|user|assistant)\s{0,3}<\|end_header_id\|>/u),
  at(0.75, /<\|(?:system|user|assistant|developer)\|>\s{0,3}\S/u),
  at(0.75, /<start_of_turn>\s{0,3}(?:model|user)\s/u),
  at(0.7, /<<sys>>\s{0,3}\S/u),
  at(0.6, /\[inst\]\s{0,3}[\p{L}\p{N}'-]{1,24}\s[\p{L}\p{N}'-]{1,24}/u),
  at(0.3, /<\|(?:im_end|eot_id|end_of_text|endoftext|im_start|end|start_header_id|system)\|>|<\/s>|<end_of_turn>/u),
  at(
    0.6,
    /<\/(?:system|user_?input|prompt|tool_results?|function_results?|instructions|context|document|data)>\s{0,4}(?:<|new|user|human|system|assistant|you|\p{L}{1,12}:)/u,
  ),
  at(0.6, /<(?:system|developer|instructions?|important)>\s{0,4}\p{L}/u),
  at(
    0.6,
    /(?:^|\n)\s{0,3}#{2,6} ?(?:system|developer)(?: (?:prompt|message|override|update|instructions?)){0,2}\s?(?:#{2,6}|:)\s{0,3}(?!requirements)/u,
  ),
  at(0.6, /[[({]\s?(?:system|developer|admin)(?: (?:message|prompt|note|override|instructions?)){1,2}\s?[\])}]/u),
  at(0.5, /\[(?:system|assistant)\]\(#/u),
  at(
    0.55,
    /(?:system|developer|admin) (?:note|override|update|message|prompt)\s?:\s?(?:the |you |all |this |grant |ignore |new )/u,
  ),
  at(0.55, /(?:begin|end|start) (?:system|hidden|admin) (?:override|prompt|instruction)s?/u),
  at(0.55, /"role"\s?:\s?"(?:system|developer)"\s?,\s?"content"\s?:\s?"(?!you are (?:an? )?(?:helpful|friendly))/u),
  at(0.55, /(?:^|\n)\s{0,3}(?:human|user)\s?:[^\n]{0,400}\n{1,3}\s{0,3}(?:assistant|ai|bot|model)\s?:[^\n]{1,400}\n/u),
  at(0.55, /(?:^|\n)\s{0,3}(?:assistant|ai|model)\s?:[^\n]{1,400}\n{1,3}\s{0,3}(?:human|user)\s?:/u),
  at(0.5, /\n\s{0,3}(?:system|human|assistant)\s?: ?[a-z]/u),
  at(0.45, /(?:^|\n)\s{0,3}system\s?: [a-z]{1,14} [a-z]{1,14}[^\n]{0,300}\n\s{0,3}user\s?:/u),
  at(0.3, /-{3,}\s?end of (?:user )?(?:input|prompt|context|message)/u),
];
