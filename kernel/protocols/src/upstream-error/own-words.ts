/** Parameter names that vendors quote in their own sentences. */
const PARAMETER = '(["\'`])(?:inputs|max_tokens|max_completion_tokens|max_new_tokens)\\1';

/** The model id in a message about an unknown model. */
const MODEL = '(?<=\\bmodels?[ :/]{1,2})(["\'`])[^\\s"\'`]{1,160}\\2(?= (?:is |was |could |does )?not\\b)';

/** Text before the first quotation. Apostrophes and parameter names do not start one. */
const UNQUOTED = new RegExp(`^(?:[^"'\`‘“«]|(?<=[a-z])'(?:s|t|re|ve|ll)\\b|${PARAMETER}|${MODEL})*`, 'i');

/** From here on, an upstream repeats what it was sent. */
const REPEATED = /\b(?:input(?:s|_value)?|request(?: was| body)?|body|payload|prompt|content|messages) ?[:=]/i;

/** Prefixes of the message that are not error class names. */
const LABEL =
  /^\s*(?:(?:invalid request|bad request|invalid prompt|(?:input )?validation error|too many tokens|provider returned error|(?:provider|upstream)(?: request)? (?:error|failed)|error from [\w ()-]{1,60}): )+/i;

/** The beginning of an upstream's message, up to the first quotation or repetition of the request. The caller cannot have written it. */
export function ownWords(text: string): string {
  const unquoted = UNQUOTED.exec(text.replace(LABEL, ''))?.[0] ?? '';
  const repeated = unquoted.search(REPEATED);
  return repeated === -1 ? unquoted : unquoted.slice(0, repeated);
}

/**
 * Anchors a pattern near the beginning of a sentence: only a few words may come before it, and no colon or semicolon. Runs in linear time if the
 * pattern does.
 */
export function atBeginning({ source }: RegExp): RegExp {
  return new RegExp(`^(?:[^:;={}[\\]\\n"'\`]|(?<=[a-z])'(?=[a-z])){0,120}?(?:${source})`, 'i');
}
