/** Parameter names that vendors quote in their own sentences. */
const PARAMETER = '(["\'`])(?:inputs|max_tokens|max_completion_tokens|max_new_tokens)\\1';

/** The model id in a message about an unknown model. */
const MODEL = '(?<=\\bmodels?[ :/]{1,2})(["\'`])[^\\s"\'`]{1,160}\\2(?= (?:is |was |could |does )?not\\b)';

/** Matches the text before the first quotation. Apostrophes and parameter names do not start a quotation. */
const UNQUOTED = new RegExp(`^(?:[^"'\`‘“«]|(?<=[a-z])'(?:s|t|re|ve|ll)\\b|${PARAMETER}|${MODEL})*`, 'i');

/** Matches where an upstream begins to repeat what it received. */
const REPEATED = /\b(?:input(?:s|_value)?|request(?: was| body)?|body|payload|prompt|content|messages) ?[:=]/i;

/** Matches prefixes of a message that are not class names of errors. */
const LABEL =
  /^\s*(?:(?:invalid request|bad request|invalid prompt|(?:input )?validation error|too many tokens|provider returned error|(?:provider|upstream)(?: request)? (?:error|failed)|error from [\w ()-]{1,60}): )+/i;

/** The beginning of an upstream's message, up to the first quotation or repetition of the request. The caller cannot have written this part. */
export function ownWords(text: string): string {
  const unquoted = UNQUOTED.exec(text.replace(LABEL, ''))?.[0] ?? '';
  const repeated = unquoted.search(REPEATED);
  return repeated === -1 ? unquoted : unquoted.slice(0, repeated);
}

/**
 * Limits a pattern to the beginning of a sentence: only a few words may precede it, and no colon or semicolon. Takes linear time if the pattern does.
 */
export function atBeginning({ source }: RegExp): RegExp {
  return new RegExp(`^(?:[^:;={}[\\]\\n"'\`]|(?<=[a-z])'(?=[a-z])){0,120}?(?:${source})`, 'i');
}
