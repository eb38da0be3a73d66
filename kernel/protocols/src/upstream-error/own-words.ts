/** Quoted by vendors in their own sentences: parameters. */
const PARAMETER = '(["\'`])(?:inputs|max_tokens|max_completion_tokens|max_new_tokens)\\1';

/** The id of a model in a sentence that says that it does not exist. */
const MODEL = '(?<=\\bmodels?[ :/]{1,2})(["\'`])[^\\s"\'`]{1,160}\\2(?= (?:is |was |could |does )?not\\b)';

/** All before the first quotation; an apostrophe and a parameter begin none. */
const UNQUOTED = new RegExp(`^(?:[^"'\`‘“«]|(?<=[a-z])'(?:s|t|re|ve|ll)\\b|${PARAMETER}|${MODEL})*`, 'i');

/** From here on an upstream repeats what it was sent. */
const REPEATED = /\b(?:input(?:s|_value)?|request(?: was| body)?|body|payload|prompt|content|messages) ?[:=]/i;

/** What stands before the sentence itself, and is no class of an error. */
const LABEL =
  /^\s*(?:(?:invalid request|bad request|invalid prompt|(?:input )?validation error|too many tokens|provider returned error|(?:provider|upstream)(?: request)? (?:error|failed)|error from [\w ()-]{1,60}): )+/i;

/** The beginning of an upstream's message, which cannot come from the caller: anything after a quotation or a repeated request is cut. */
export function ownWords(text: string): string {
  const unquoted = UNQUOTED.exec(text.replace(LABEL, ''))?.[0] ?? '';
  const repeated = unquoted.search(REPEATED);
  return repeated === -1 ? unquoted : unquoted.slice(0, repeated);
}

/**
 * A pattern at the beginning of a sentence: only few words may come before it, and no colon or semicolon. It reads in linear time where
 * the pattern does.
 */
export function atBeginning({ source }: RegExp): RegExp {
  return new RegExp(`^(?:[^:;={}[\\]\\n"'\`]|(?<=[a-z])'(?=[a-z])){0,120}?(?:${source})`, 'i');
}
