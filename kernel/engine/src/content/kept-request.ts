import type { ChatCompletion, ChatMessage, ChatRequest } from '@svc/contracts';
import { type Link, MAX_LINKS, type Reference } from './history.ts';
import {
  ANSWER_CONTENT,
  CONTINUATION_CONTENT,
  CONVERSATION_CONTENT,
  type Conversation,
  decodeJson,
  REQUEST_CONTENT,
} from './run-content.ts';
import type { ContentVault } from './vault.ts';

/** A request without the messages that an earlier run keeps. They stand before the message at `at`. */
export interface Continuation extends Reference {
  readonly at: number;
  readonly request: ChatRequest;
}

/** Is shown the JSON of each part when it is decrypted, before it is parsed and before the next one is read. It throws to refuse. */
export type Admit = (json: Uint8Array) => void;

/** A request, with the messages of earlier runs; `gone`: the earlier run that is no longer stored, so the request is incomplete. */
export type KeptRequest =
  | { readonly request: ChatRequest; readonly at: number | null; readonly links: readonly Link[] }
  | { readonly gone: string };

/**
 * The request of a run, put together from the runs that keep it. Null where nothing is kept of this run.
 * @throws {SvcError} SVC-RUN-005, and what `admit` throws
 */
export async function keptRequest(run_id: string, vault: ContentVault, admit: Admit): Promise<KeptRequest | null> {
  const parts: { run_id: string; part: Continuation }[] = [];
  let id = run_id;
  for (;;) {
    const found = await vault.read(id, CONTINUATION_CONTENT);
    if (found === null) break;
    if (parts.length === MAX_LINKS) return { gone: id };
    admit(found.bytes);
    const part = decodeJson<Continuation>(found.bytes);
    parts.push({ run_id: id, part });
    id = part.run_id;
  }
  const whole = await vault.read(id, REQUEST_CONTENT);
  if (whole === null) return parts.length === 0 ? null : { gone: id };
  admit(whole.bytes);
  let request = decodeJson<ChatRequest>(whole.bytes);
  let at: number | null = null;
  let links: readonly Link[] = [];
  for (const { run_id, part } of parts.reverse()) {
    const { count } = part;
    const from = at ?? (await conversationOf(id, vault))?.from ?? null;
    const asked = from === null ? null : request.messages.slice(from);
    const history = asked === null || asked.length >= count ? asked : await answered(id, asked, vault, admit);
    if (history === null || history.length < count) return { gone: id };
    const { messages } = part.request;
    at = part.at;
    request = { ...part.request, messages: [...messages.slice(0, at), ...history.slice(0, count), ...messages.slice(at)] };
    links = linked(links, { run_id: id, reach: count });
    id = run_id;
  }
  return { request, at, links };
}

/**
 * What a run may be continued with: the messages that its model was sent, and its answer as the caller got it. Null: nothing.
 * @throws {SvcError} SVC-RUN-005, and what `admit` throws
 */
export async function keptConversation(
  run_id: string,
  vault: ContentVault,
  admit: Admit,
): Promise<{ messages: ChatMessage[]; links: readonly Link[] } | null> {
  const conversation = await conversationOf(run_id, vault);
  if (conversation === null) return null;
  const kept = await keptRequest(run_id, vault, admit);
  if (kept === null || 'gone' in kept) return null;
  const asked = kept.request.messages.slice(kept.at ?? conversation.from);
  const messages = await answered(run_id, asked, vault, admit);
  return messages && { messages, links: linked(kept.links, { run_id, reach: messages.length }) };
}

/** The links with one more, and what they reach through it. */
function linked(links: readonly Link[], next: Link): readonly Link[] {
  return [...links.map(({ run_id, reach }) => ({ run_id, reach: Math.min(reach, next.reach) })), next];
}

async function conversationOf(run_id: string, vault: ContentVault): Promise<Conversation | null> {
  const kept = await vault.read(run_id, CONVERSATION_CONTENT);
  return kept && decodeJson<Conversation>(kept.bytes);
}

async function answered(
  run_id: string,
  asked: readonly ChatMessage[],
  vault: ContentVault,
  admit: Admit,
): Promise<ChatMessage[] | null> {
  const answer = await vault.read(run_id, ANSWER_CONTENT);
  if (answer === null) return null;
  admit(answer.bytes);
  const [choice] = decodeJson<ChatCompletion>(answer.bytes).choices;
  return choice === undefined ? null : [...asked, turnOf(choice.message)];
}

/** An answer as a message of a request: with what a model takes back. Kept requests rest on it: a change of it changes what they say. */
function turnOf({ content, refusal, tool_calls, thinking_blocks, reasoning_details }: ChatMessage): ChatMessage {
  const all = Object.entries({ refusal, tool_calls, thinking_blocks, reasoning_details });
  const kept = Object.fromEntries(all.filter(([, value]) => value != null));
  return { role: 'assistant', content: content ?? ('tool_calls' in kept || 'refusal' in kept ? null : ''), ...kept };
}
