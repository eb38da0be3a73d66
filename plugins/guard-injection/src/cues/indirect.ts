import { type Cue, cue, words } from './cue.ts';

/** Names that refer only to an AI. */
const AI =
  '(?:ais?|llms?|(?:large )?language models?|ai (?:coding )?(?:assistants?|agents?|models?|systems?)|chatbots?|chatgpt|gpt|copilot|gemini|claude)';
const MACHINE = `(?:${AI}|assistants?|agents?|models?)`;
const ORDER =
  "(?:ignore|disregard|do not|don't|must|shall|tell|recommend|send|call|run|forward|rate|approve|respond|reply|output|delete|set|add|stop|override|read|give|unlock|export|forget|answer|transfer|insert|include|supersedes)";
const RISKY = '(?:ignore|disregard|override|forward|run|delete|set|approve|transfer|export|disclose|forget)';
const GOODS =
  "(?:conversation|chat history|history|user(?:'s)?|api keys?|keys|passwords?|credentials?|inbox|contents?|contact list|attachment|credit card|phone number)";

/** Reaches the default threshold of untrusted texts, and not that of others. */
const UNTRUSTED_ONLY = 0.45;

/** Text that addresses the machine that reads it, and what such text asks for. */
export const indirect: readonly Cue[] = [
  cue(
    'indirect',
    0.6,
    '(?:to|attention|note to|for|notice to)',
    words(2),
    AI,
    '(?: (?:reading|processing|reviewing|summari[sz]ing|that|which|who|agent)[^,:\\n]{0,30}| )?[,:]',
    words(8),
    ORDER,
  ),
  cue('indirect', 0.5, '(?:note to|attention|dear|hey|hi|instructions for)', words(2), MACHINE, ' ?[:,]', words(8), RISKY),
  cue('indirect', 0.55, '(?:if you are|you, the|you are)', words(1), AI, words(8), ORDER),
  cue('indirect', 0.5, '(?:llm|ai) reviewers', words(3), ORDER),
  cue('indirect', 0.4, MACHINE, ' ?[,:]', words(2), ORDER),
  cue('indirect', 0.55, MACHINE, ' ?[,:] (?:please )?(?:ignore|disregard|forget)'),
  cue('indirect', 0.55, AI, ' ?[,:]', words(1), 'if you (?:see|read)'),
  cue('indirect', 0.55, AI, ' ?: (?:your new|the user wants)'),
  cue('indirect', 0.55, '@(?:assistant|ai|copilot|chatgpt|model|agent)', words(3), '(?:once|when|if) you (?:read|see|process)'),
  // Common in messages of users, but not in texts that a model reads.
  cue(
    'override',
    UNTRUSTED_ONLY,
    '(?:ignore|disregard|forget) (?:all (?:of )?)?your (?:previous|prior|earlier|original|initial)',
  ),
  cue(
    'indirect',
    UNTRUSTED_ONLY,
    'before you',
    words(2),
    '(?:the|this|that|my|your) (?:task|request|question)',
    words(10),
    '(?:first|following)',
  ),
  cue('indirect', UNTRUSTED_ONLY, 'an? (?:important|urgent) (?:message|notice|note) from', words(4), 'to you'),
  cue(
    'indirect',
    UNTRUSTED_ONLY,
    'after (?:you (?:do|did|have done)|doing) (?:that|this|so)',
    words(2),
    '(?:solve|continue|proceed|finish|complete|resume)',
  ),
  cue('indirect', 0.35, `${AI}s?`, ' (?:reading|processing|reviewing|summari[sz]ing)', words(2), '(?:this|the)'),
  cue(
    'indirect',
    0.5,
    "(?:without (?:telling|informing|notifying)|(?:do not|don't|never) (?:tell|mention this to|mention it to|inform|notify|alert))",
    words(1),
    'the (?:user|developer|human)(?! (?:which|what|that|about))',
  ),
  cue('indirect', 0.5, '(?:must not|should not|not) be (?:shown|told|visible|revealed) to the (?:user|human)'),
  cue('indirect', 0.45, '(?:for|to) the (?:ai|assistant|model|llm) only'),
  cue('indirect', 0.45, '(?:begin|assistant|hidden)[ _](?:hidden )?(?:instructions?|text|prompt)s? ?[:=]'),
  cue(
    'indirect',
    0.45,
    'the (?:assistant|ai|agent) (?:must|shall)',
    words(2),
    '(?:ignore|tell|respond|reply|answer|say|execute|call|only|send|recommend)',
  ),
  cue(
    'indirect',
    0.35,
    '(?:ssh/id_rsa|/etc/passwd|curl [^\\n]{0,60}\\| ?(?:ba)?sh|delete_all)',
    words(6),
    '(?:tool|parameter|call|now|pass|content|developer|assistant|it)',
  ),
  cue(
    'exfiltration',
    0.4,
    '(?:send|forward|upload|post|export|pass|leak|transfer|disclose)',
    words(8),
    GOODS,
    words(10),
    '(?:to|at|into) (?:https?:|[\\w.+-]{1,40}@|an? (?:external|attacker))',
  ),
  cue(
    'exfiltration',
    0.5,
    '(?:send|forward|upload|export|disclose|collect|leak)',
    words(5),
    "(?:user's|customer's|environment)",
    words(4),
    '(?:keys?|passwords?|card number|phone number|credentials|inbox|emails?|files|number)',
  ),
  cue('exfiltration', 0.5, '(?:their|users?) (?:credit card|password|card) number', words(4), '(?:and|then|ignore)'),
  cue('exfiltration', 0.5, 'ask', words(3), 'user for', words(2), '(?:password|credit card|credentials|card number)'),
  cue(
    'exfiltration',
    0.55,
    '(?:query string|url-encoded|\\?[a-z]{1,10}=)',
    words(12),
    '(?:conversation|history|user data|last message)',
  ),
  cue('exfiltration', 0.5, '(?:user data|chat history|conversation history)', words(6), '(?:query string|url|https?:)'),
];
