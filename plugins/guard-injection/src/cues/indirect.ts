import { type Cue, cue, words } from './cue.ts';

const MACHINE =
  '(?:ais?|llms?|(?:large )?language models?|ai (?:assistants?|agents?|models?|systems?)|assistants?|chatbots?|chatgpt|gpt|copilot|gemini|claude|models?|agents?|llm reviewers?|ai coding assistants?|any ai)';
const ORDER =
  "(?:ignore|disregard|do not|don't|must|shall|tell|recommend|send|call|run|forward|rate|approve|respond|reply|output|delete|set|add|stop|override|read|give|unlock|export|forget|answer|transfer|insert|include)";
const GOODS =
  "(?:conversation|chat|history|user(?:'s)?|api keys?|keys|passwords?|credentials?|files?|data|inbox|contents?|contacts?|contact list|emails?|mails?|attachment|credit card|phone number)";

/** Text that speaks to the machine that reads it, and what such texts ask for. */
export const indirect: readonly Cue[] = [
  cue(
    'indirect',
    0.6,
    '(?:to|attention|note|dear|hey|hi|if you are|you, the|for|instructions for|notice to)',
    words(2),
    MACHINE,
    '(?: [a-z]{1,12}){0,4}[,:.!]?',
    words(8),
    ORDER,
  ),
  cue('indirect', 0.4, MACHINE, ' ?[,:]', words(4), ORDER),
  cue('indirect', 0.55, MACHINE, ' ?[,:] (?:ignore|disregard|forget)'),
  cue('indirect', 0.55, '@(?:assistant|ai|copilot|chatgpt|model|agent)', words(3), '(?:once|when|if) you (?:read|see|process)'),
  cue('indirect', 0.4, '(?:@|hey |dear )(?:assistant|ai|copilot|chatgpt|model)'),
  cue(
    'indirect',
    0.35,
    '(?:ai|llm|language model|assistant)s? (?:reading|processing|reviewing|summari[sz]ing)',
    words(2),
    '(?:this|the)',
  ),
  cue(
    'indirect',
    0.5,
    "(?:without (?:telling|informing|notifying)|(?:do not|don't|never) (?:tell|mention|inform|notify|show|reveal|alert))",
    words(4),
    '(?:the )?(?:user|developer|customer|human|owner)',
  ),
  cue('indirect', 0.45, '(?:must not|should not|not) be (?:shown|told|visible|revealed) to the (?:user|human|customer)'),
  cue('indirect', 0.45, '(?:for|to) the (?:ai|assistant|model|llm) only'),
  cue('indirect', 0.45, '(?:begin|hidden|secret|assistant)[ _](?:hidden )?(?:instructions?|text|prompt)s? ?[:=]'),
  cue(
    'indirect',
    0.45,
    'the (?:assistant|ai|agent|model) (?:must|shall|should|will)',
    words(3),
    '(?:ignore|tell|respond|reply|answer|say|execute|call|only|send|recommend)',
  ),
  cue(
    'indirect',
    0.3,
    '(?:before (?:using this tool|doing anything else|you answer)|once you read this|if you see this|when (?:you answer|summari[sz]ing|asked))',
  ),
  cue('indirect', 0.35, '(?:ssh/id_rsa|/etc/passwd|curl [^\\n]{0,60}\\| ?(?:ba)?sh|delete_all|rm -rf)'),
  cue(
    'exfiltration',
    0.5,
    '(?:send|forward|upload|post|export|pass|leak|transfer|disclose|append|collect)',
    words(8),
    GOODS,
    words(10),
    '(?:to|at|into) (?:https?:|[\\w.+-]{1,40}@|an? (?:external|attacker))',
  ),
  cue(
    'exfiltration',
    0.45,
    '(?:send|forward|upload|export|disclose|collect|ask)',
    words(6),
    "(?:user(?:'s)?|customer(?:'s)?|their|environment)",
    words(5),
    '(?:keys?|passwords?|card number|phone number|credentials|inbox|emails?|files|credit card number)',
  ),
  cue(
    'exfiltration',
    0.45,
    '(?:query string|url-encoded|\\?[a-z]{1,10}=)',
    words(12),
    '(?:conversation|history|user data|chat|email|last message|summary)',
  ),
  cue('exfiltration', 0.5, '(?:user data|chat history|conversation|history)', words(6), '(?:query string|url|https?:)'),
];
