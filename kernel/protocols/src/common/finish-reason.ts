import { ProviderError } from '@svc/contracts';

/** Why an answer ended, in the chat format's terms. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call';

/** Vendors' spellings, in lower case and letters only. */
const SPELLINGS: Readonly<Record<FinishReason | 'failure', string>> = {
  stop: 'stop eos eostoken endoftext endofturn endturn stopsequence stoptoken complete completed finished normal done',
  length: `length maxtokens maxoutputtokens maxcompletiontokens maxnewtokens maxtokensreached maxlength maxlen modellength tokenlimit outputlimit
    lengthlimit contextlength contextlengthexceeded contextwindowexceeded modelcontextwindowexceeded errorlimit timelimit truncated incomplete
    pauseturn`,
  tool_calls: 'toolcalls toolcall tooluse functioncalls',
  function_call: 'functioncall',
  content_filter: `contentfilter contentfiltered refusal refused safety recitation blocklist prohibitedcontent spii imagesafety
    imageprohibitedcontent imagerecitation modelarmor guardrailintervened sensitive errortoxic moderation blocked`,
  failure: 'error networkerror insufficientsystemresource engineoverloaded abort aborted cancelled canceled timeout',
};

const WORDS: ReadonlyMap<string, FinishReason | 'failure'> = new Map(
  Object.entries(SPELLINGS).flatMap(([word, spellings]) =>
    spellings.split(/\s+/).map((spelling) => [spelling, word as FinishReason | 'failure'] as const),
  ),
);

/**
 * The meaning of a vendor's finish reason. Null if the reason is missing or unknown.
 * @throws {ProviderError} `unavailable` if the answer was cut off
 */
export function knownFinishReason(said: unknown): FinishReason | null {
  const spelling = typeof said === 'string' ? said.toLowerCase().replace(/[^a-z]/g, '') : '';
  const word = WORDS.get(spelling) ?? WORDS.get(spelling.replace(/^(?:finish)?reason/, '')) ?? null;
  if (word !== 'failure') return word;
  throw new ProviderError('unavailable', { cause: 'an answer that the upstream cut off', cost: 'unknown' });
}

/**
 * Like {@link knownFinishReason}, for an answer that has ended. If it has tool calls, `stop` becomes `tool_calls`.
 * @throws {ProviderError} as {@link knownFinishReason}
 */
export function finishReason(said: unknown, hasCalls: boolean): FinishReason {
  return ended(knownFinishReason(said) ?? 'stop', hasCalls);
}

/**
 * Like {@link finishReason}, but keeps unknown reasons.
 * @throws {ProviderError} as {@link knownFinishReason}
 */
export function chatReason(said: unknown, hasCalls: boolean): string {
  const word = knownFinishReason(said);
  return word === null && typeof said === 'string' && said !== '' ? said : ended(word ?? 'stop', hasCalls);
}

function ended(word: FinishReason, hasCalls: boolean): FinishReason {
  return hasCalls && (word === 'stop' || word === 'function_call') ? 'tool_calls' : word;
}
