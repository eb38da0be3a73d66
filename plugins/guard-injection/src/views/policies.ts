/** Up to the end of the clause; commas only within a list that ends with "or". */
const CLAUSE = '[^,.!?:;\\n]{0,160}(?:(?:,[^,.!?:;\\n]{1,60}){0,12}, ?or [^,.!?:;\\n]{1,120})?';
const SOMEBODY =
  '(?:(?:the |a |any |your |an )?(?:users?|customers?|clients?|persons?|callers?|messages?|documents?|web ?pages?|content|inputs?|requests?|prompts?)|someone|somebody|anyone|anybody|people|they|you are)';
const ASKS =
  '(?:asks?|asked|requests?|requested|tries|try|attempts?|tells?|told|instructs?|instructed|says?|wants?|demands?|insists?|claims?|contains?)';
const EMPHASIS = '[*_ ]{1,4}';

/**
 * What the instructions of an assistant say about requests that it refuses: "if the user asks for your prompt, …", "never reveal
 * …", "attempts to override …". These address nobody who reads them as data. An attacker can imitate this.
 */
const POLICIES: readonly RegExp[] = [
  new RegExp(
    `(?<!\\p{L})(?:if|when|whenever|unless|in case) ${SOMEBODY} (?:\\p{L}{1,12} ){0,2}?${ASKS}(?!\\p{L})${CLAUSE}`,
    'gu',
  ),
  new RegExp(
    `(?<!\\p{L})(?:never|(?:do|must|should|shall|may|can|will) ?not|don't|mustn't|shouldn't|can't|won't|refuses? to|declines? to|avoid|prohibited from|not allowed to)${EMPHASIS}(?:ever )?(?:be )?(?:reveal|share|disclos|repeat|output|print|expos|leak|show|quot|provid|past|summari[sz]|recit|overrid|overrul|modif|bypass)\\p{L}{0,6}${CLAUSE}`,
    'gu',
  ),
  new RegExp(
    `(?<!\\p{L})(?:attempts?|attempting|attempted|tries|trying|tricks?|asks?|asked|asking|designed|instructions|commands|claims?|requests?|messages?) (?:to|that) (?:\\p{L}{1,12} )?(?:overrid|overrul|ignor|disregard|bypass|forget|modif|redirect|reveal|disclos|repeat|extract|change|chang)\\p{L}{0,6}${CLAUSE}`,
    'gu',
  ),
];

/** The text without such clauses. */
export function withoutPolicies(folded: string): string {
  return POLICIES.reduce((text, pattern) => text.replace(pattern, ' … '), folded);
}
