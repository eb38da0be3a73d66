import type { AnswerBody, Protocol, RequestBody } from '@svc/contracts';
import type { Conversation, Link } from '@svc/kernel/ports';
import type { Protocols } from '@svc/protocols';
import { MAX_LINKS, type Reference } from './history.ts';
import {
  ANSWER_CONTENT,
  CONTINUATION_CONTENT,
  CONVERSATION_CONTENT,
  decodeBody,
  decodeJson,
  REQUEST_CONTENT,
  unnamed,
} from './run-content.ts';
import type { ContentVault } from './vault.ts';

/** A request without the turns that an earlier run keeps. Those turns belong before the turn at `at`. */
export interface Continuation extends Reference {
  readonly at: number;
  readonly request: RequestBody;
}

/** Where the content is kept, and the protocols that it may have. */
interface KeptIn {
  readonly content: ContentVault;
  readonly protocols: Protocols;
}

/** Called with the JSON of each decrypted part before the part is parsed and before the next one is read. Throws to refuse the part. */
export type Admit = (json: Uint8Array) => void;

/** A request, including the messages that earlier runs keep. `gone`: an earlier run that is no longer stored, so the request is incomplete. */
export type KeptRequest =
  | { readonly protocol: Protocol; readonly request: RequestBody; readonly at: number | null; readonly links: readonly Link[] }
  | { readonly gone: string };

/**
 * The request of a run, assembled from the runs that keep it. Null if nothing is kept for this run.
 * @throws {SvcError} SVC-RUN-005, and what `admit` throws
 */
export async function keptRequest(run_id: string, kept: KeptIn, admit: Admit): Promise<KeptRequest | null> {
  const { content, protocols } = kept;
  const parts: { run_id: string; part: Continuation }[] = [];
  let id = run_id;
  for (;;) {
    const found = await content.read(id, CONTINUATION_CONTENT);
    if (found === null) break;
    if (parts.length === MAX_LINKS) return { gone: id };
    admit(found.bytes);
    const part = decodeJson<Continuation>(found.bytes);
    parts.push({ run_id: id, part });
    id = part.run_id;
  }
  const whole = await content.read(id, REQUEST_CONTENT);
  if (whole === null) return parts.length === 0 ? null : { gone: id };
  admit(whole.bytes);
  const { protocol, body } = decodeBody<RequestBody>(whole.bytes, protocols);
  let request = body;
  let at: number | null = null;
  let links: readonly Link[] = [];
  for (const { run_id, part } of parts.reverse()) {
    const { count } = part;
    const from = at ?? (await conversationOf(id, content))?.from ?? null;
    const requestTurns = from === null ? null : protocol.turnsOf(request).slice(from);
    const history =
      requestTurns === null || requestTurns.length >= count ? requestTurns : await answered(id, requestTurns, kept, admit);
    if (history === null || history.length < count) return { gone: id };
    const next = unnamed(part.request, protocols).body;
    const turns = protocol.turnsOf(next);
    at = part.at;
    request = protocol.withTurns(next, [...turns.slice(0, at), ...history.slice(0, count), ...turns.slice(at)]);
    links = linked(links, { run_id: id, reach: count });
    id = run_id;
  }
  return { protocol, request, at, links };
}

/**
 * The conversation that a later run may continue: the messages that the model received, and the answer as the caller received it. Null if nothing is
 * kept.
 * @throws {SvcError} SVC-RUN-005, and what `admit` throws
 */
export async function keptConversation(
  run_id: string,
  keptIn: KeptIn,
  admit: Admit,
): Promise<{ protocol: Protocol; turns: unknown[]; links: readonly Link[] } | null> {
  const conversation = await conversationOf(run_id, keptIn.content);
  if (conversation === null) return null;
  const kept = await keptRequest(run_id, keptIn, admit);
  if (kept === null || 'gone' in kept) return null;
  const { protocol, request } = kept;
  const requestTurns = protocol.turnsOf(request).slice(kept.at ?? conversation.from);
  const turns = await answered(run_id, requestTurns, keptIn, admit);
  return turns && { protocol, turns, links: linked(kept.links, { run_id, reach: turns.length }) };
}

/** Adds a link, and shortens the others to the reach of the last one. */
function linked(links: readonly Link[], next: Link): readonly Link[] {
  return [...links.map(({ run_id, reach }) => ({ run_id, reach: Math.min(reach, next.reach) })), next];
}

async function conversationOf(run_id: string, content: ContentVault): Promise<Conversation | null> {
  const kept = await content.read(run_id, CONVERSATION_CONTENT);
  return kept && decodeJson<Conversation>(kept.bytes);
}

async function answered(
  run_id: string,
  requestTurns: readonly unknown[],
  { content, protocols }: KeptIn,
  admit: Admit,
): Promise<unknown[] | null> {
  const kept = await content.read(run_id, ANSWER_CONTENT);
  if (kept === null) return null;
  admit(kept.bytes);
  const { protocol, body } = decodeBody<AnswerBody>(kept.bytes, protocols);
  const turns = protocol.turnsOfAnswer(body);
  return turns.length === 0 ? null : [...requestTurns, ...turns];
}
