/** The ids of OpenAI, Anthropic, OpenRouter and Groq, UUIDs and hexadecimal numbers: forms that cannot contain words. */
const ANSWER_ID =
  /^(?:(?:chatcmpl|cmpl|resp|msg|gen)[-_][\dA-Za-z-]{8,80}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{32})$/i;

/** Words of at most 16 letters and digits, the first of which starts with a letter. Keys and tokens are longer. */
const MODEL_NAME = /^(?=[a-z])[a-z\d]{1,16}(?:[./:_-][a-z\d]{1,16}){0,11}(?:@\d{8})?$/i;
/** More digits than a date has could be a number of a person. */
const LONG_NUMBER = /\d{9}/;

/** The upstream's id of an answer. Null if it has another form, and could contain text or a secret. */
export function answerId(id: unknown): string | null {
  return typeof id === 'string' && ANSWER_ID.test(id) ? id : null;
}

/** The upstream's name of the model that answered. Null if it has another form. */
export function modelName(model: unknown): string | null {
  return typeof model === 'string' && MODEL_NAME.test(model) && !LONG_NUMBER.test(model) ? model : null;
}
