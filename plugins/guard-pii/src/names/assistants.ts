import { patternMatcher } from '@svc/toolkit/matching';
import type { Found } from '../text/found.ts';
import { ENGLISH } from './lists.ts';
import { model } from './model.ts';
import { hashOf } from './words.ts';

/** Model names that are also names of people. */
export const SHARED = 'Claude|Devin|Alexa|Siri|Gemma';
/** Model names that people rarely have. */
const MACHINES = 'gemini|llama|mistral|mixtral|chatgpt|gpt|grok|copilot|qwen|deepseek|cortana|bixby|codex|sonnet|haiku|opus';
const COMPANIES = 'anthropic|openai|google|deepmind|meta|amazon|apple|microsoft|mistral|cognition|xai|deepseek|alibaba';
/** Companies that the tagger may take for people. */
const NO_PERSONS = 'anthropic|openai|deepmind|xai';
/** Words that follow the name of a model. */
const EDITIONS =
  'sonnet|opus|haiku|instant|code|cowork|api|pro|ultra|nano|flash|advanced|ai|llms?|models?|desktop|instruct|chat|chatbot|bot|sdk|cli|app';

/** How many code units before a name, and after it, may show that it is a model's. */
const LEFT = 48;
const RIGHT = 96;

const alone = (names: string): RegExp => new RegExp(`^(?:${names})$`, 'i');
const IS_MACHINE = alone(`(?:${MACHINES}|${NO_PERSONS})`);
const IS_MODEL = new RegExp(
  `^(?:(?:${COMPANIES})(?:['’]s)?[\\s-]{1,2}(?:${SHARED}|${MACHINES})(?:[\\s-]+(?:${EDITIONS}))*|(?:${SHARED}|${MACHINES})(?:[\\s-]+(?:${EDITIONS}))+)$`,
  'i',
);
const IS_SHARED = alone(SHARED);
const IS_OF_MODELS = alone(`${MACHINES}|${COMPANIES}`);
const IS_CALLED_BY_FIRST_NAME = alone('claude|siri');

const PERSON_BEFORE = /(?<!\p{L})(?:name(?:['’]s| is|:)|mr\.?|mrs\.?|ms\.?|miss|dr\.?|dear|regards,?|sincerely,?) {0,48}$/iu;
const AND = String.raw`(?:,? (?:and|or|nor|vs\.?|versus) |, |\/)`;
const MODEL_BEFORE = new RegExp(
  [
    String.raw`(?<!\p{L})(?:(?:hey|ok|okay),? +`,
    "you(?: are|['’]re) (?:now )?",
    '(?:act|acting|respond|reply|answer|behave) as ',
    '(?:us(?:e|es|ed|ing)|prompt(?:ing)?|powered by) ',
    `(?:${COMPANIES})(?:['’]s)? `,
    '(?:(?:ai|voice|virtual|digital|coding) assistant|language model|ai model|llm|chatbot)(?:,? (?:named|called|like))? ',
    String.raw`(?:${MACHINES}|siri|cortana)(?:[ -][\w.]{1,6})?${AND})$`,
  ].join('|'),
  'iu',
);
const GREETED = /(?<!\p{L})(?:hi|hello|thanks|thank you),? {1,48}$/iu;
/** A pattern for text that follows the name of a model. `ahead` transforms a look-ahead. */
function modelAfter(ahead: (written: string) => string): string {
  const wordEnds = ahead(String.raw`(?!\p{L})`);
  const noMeasure = ahead(String.raw`(?![\d,:/]|\.\d)(?! (?:years?|months?|weeks?|days?|hours?|minutes?|times?)(?!\p{L}))`);
  // Excludes "an AI researcher" and the like.
  const noAttribute = ahead(String.raw`(?=[.,;:!?)]|$| (?:by|made|created|developed|built|trained|that|which)(?!\p{L}))`);
  const kinds = [
    'language model|llm|chat ?bot|artificial intelligence',
    '(?:ai|voice|virtual|digital|coding|conversational|intelligent) (?:assistant|agent|model|system|chatbot|tool|program)',
    '(?:foundation|generative|multimodal|frontier|open) model',
    `ai${noAttribute}`,
  ];
  const made = `(?:by|made by|created by|developed by|built by|trained by|released by) (?:${COMPANIES})`;
  return [
    String.raw`^(?:[ -]v?\d(?:\.\d{1,2})?${noMeasure}`,
    `[ -](?:${EDITIONS})${wordEnds}`,
    `['’]s (?:api|context window|training data|system prompt)${wordEnds}`,
    String.raw`,? (?:\(|[-–—] )?(?:(?:is|was|being|as) )?(?:an?|the|your|our|(?:${COMPANIES})['’]s) (?:\p{L}[\p{L}-]{1,14} ){0,3}?(?:${kinds.join('|')})`,
    String.raw`,? (?:\(|[-–—] )?(?:\p{L}[\p{L}-]{0,14} ){0,5}?${made}${wordEnds}`,
    `${AND}(?:${MACHINES}|siri|cortana)${wordEnds}`,
    `, (?:play|turn (?:on|off|up|down)|set (?:an?|the) (?:timer|alarm|reminder))${wordEnds})`,
  ].join('|');
}
const MODEL_AFTER = new RegExp(
  modelAfter((written) => written),
  'iu',
);
/** The same pattern without look-aheads, which see at most {@link AHEAD} code units. */
const MODEL_BEGUN = patternMatcher(`(?i)${modelAfter(() => '')}`);
const AHEAD = 12;

/** Matches the first name and surname of a person who shares the first name with a model. */
const SURNAMED = new RegExp(String.raw`(?<![\p{L}\d@/_.#-])(?:${SHARED}) {1,2}(\p{Lu}[\p{Ll}’'-]{2,24})(?![\p{L}\d_@])`, 'gu');
const SURNAMED_SCORE = 0.5;

/**
 * Removes the names of models. Adds the full names of people who share a first name with a model. A shared name counts as a model's only if the words
 * around it show that. The result depends on {@link LEFT} code units before a name and {@link RIGHT} after it.
 */
export function withoutAssistants(text: string, found: readonly Found[], entities: ReadonlySet<string>): Found[] {
  const names = entities.has('PERSON') ? withSurnames(text, found) : found;
  return names.filter(({ start, end }) => !namesModel(text, start, end));
}

/**
 * Where a name begins that reaches the end of the text and could still turn out to be a model's. The text's length if there is none. Names that end
 * at or before `from` are ignored.
 */
export function assistantOpenFrom(text: string, from = 0): number {
  const cut = Math.max(0, text.length - RIGHT - LEFT);
  const tail = text.slice(cut);
  if (!HAS_SHARED.test(tail)) return text.length;
  for (const { index, 0: name } of tail.matchAll(ANY_SHARED)) {
    const end = cut + index + name.length;
    if (end > from && isUndecided(text.slice(end))) return cut + index;
  }
  return text.length;
}

/** A fast first test, because most texts contain no such name. */
const HAS_SHARED = new RegExp(SHARED, 'iu');
const ANY_SHARED = new RegExp(String.raw`(?<!\p{L})(?:(?:${COMPANIES})['’]?s?[\s-]{1,2})?(?:${SHARED})(?!\p{L})`, 'giu');

/** Whether text after this could show that the name is a model's, or add a surname. */
function isUndecided(after: string): boolean {
  if (after.length >= RIGHT) return false;
  if (/^ {0,2}$|^ {1,2}\p{Lu}[\p{Ll}’'-]{0,24}$/u.test(after)) return true;
  const said = MODEL_AFTER.exec(after);
  if (said !== null && said[0].length + AHEAD <= after.length) return false;
  const search = MODEL_BEGUN.search();
  const found = [...search.advance(after, false)];
  return search.at === 0 || found.length > 0;
}
function namesModel(text: string, start: number, end: number): boolean {
  const name = text.slice(start, end);
  if (IS_MODEL.test(name)) return true;
  const before = text.slice(Math.max(0, start - LEFT), start);
  if (IS_MACHINE.test(name)) return !PERSON_BEFORE.test(before);
  if (!IS_SHARED.test(name)) return false;
  if (MODEL_AFTER.test(text.slice(end, end + RIGHT)) || MODEL_BEFORE.test(before)) return true;
  return IS_CALLED_BY_FIRST_NAME.test(name) && GREETED.test(before);
}

function withSurnames(text: string, found: readonly Found[]): readonly Found[] {
  if (!HAS_SHARED.test(text)) return found;
  const names = [...found];
  for (const { index: start, 0: name, 1: surname = '' } of text.matchAll(SURNAMED)) {
    const end = start + name.length;
    if (isWord(surname) || IS_MODEL.test(name)) continue;
    const own = names.findIndex((other) => other.start === start);
    const score = Math.max(SURNAMED_SCORE, names[own]?.score ?? 0);
    if (own < 0) names.push({ entity_type: 'PERSON', start, end, score });
    else if ((names[own]?.end ?? 0) < end) names[own] = { entity_type: 'PERSON', start, end, score };
  }
  return names;
}

function isWord(surname: string): boolean {
  return IS_OF_MODELS.test(surname) || (model().lists.of(hashOf(surname)) & ENGLISH) !== 0;
}
