import type { FieldTable, Place } from '@svc/contracts';
import { fieldTable } from '../common/field-table.ts';
import { MESSAGES_NAMES } from '../names/messages.ts';
import { originAt } from './origins.ts';
import { type BlockPlace, blockPlace, idKind, isName, isQuantity, isSealed, opaqueKindOf } from './places.ts';
import { vocabularyOf } from './vocabulary.ts';

/** An answer and a frame contain a single message, so they have no array of messages. */
export const MESSAGES_REQUEST: FieldTable = fieldTable('messages', MESSAGES_NAMES, (pattern) => placeOf('request', pattern));
export const MESSAGES_ANSWER: FieldTable = fieldTable('', MESSAGES_NAMES, (pattern) => placeOf('answer', pattern));
export const MESSAGES_FRAME: FieldTable = fieldTable('', MESSAGES_NAMES, placeInFrame);

function placeOf(of: 'request' | 'answer', pattern: string): Partial<Place> {
  const place = blockPlace(of, pattern);
  const block = place?.rest ?? null;
  const isInput = place !== null && !place.isNested && /^input(?:\.|$)/.test(place.rest);
  if (isInput) return { isToolInput: true, role: roleIn(of, pattern, null), origin: null };
  return {
    isName: isName(pattern, block),
    isOwn: OWN[of].has(pattern),
    isQuantity: isQuantity(of, pattern, block),
    vocabulary: vocabularyOf(of, pattern, block),
    idKind: idKind(pattern, block),
    json: place === null ? null : of === 'answer' && /^events\./.test(place.rest) ? 'anyone' : jsonOf(of, place),
    opaqueKind: block === null ? null : opaqueKindOf(block),
    isSealed: block !== null && isSealed(block),
    // True for the signature and the data of thinking.
    isEssential: block === 'signature' || block === 'data',
    isSigned: SIGNED[of].test(pattern),
    isThinking: block === 'thinking' ? () => true : null,
    role: roleIn(of, pattern, place),
    ...originAt(of, pattern, block),
  };
}

/** Fields that the gateway always overwrites. */
const OWN = { request: new Set(['model']), answer: new Set(['id', 'model', 'svc_left_out.*']) } as const;

/** Blocks whose `signature` is valid only for the text beside it. */
const SIGNED = { request: /^messages\.\*\.content\.\*$/, answer: /^content\.\*$/ } as const;

function jsonOf(of: 'request' | 'answer', place: BlockPlace): Place['json'] {
  if (!isContent(place)) return null;
  return of === 'request' ? 'tool' : 'anyone';
}

/** Whether a place is a block's content, or inside a nested block such as a tool result. */
function isContent({ rest, isNested }: BlockPlace): boolean {
  return isNested || rest === 'content';
}

/** Tool results are in user turns, and results of a vendor's own tools in model turns. A document's content belongs to its turn. */
function roleIn(of: 'request' | 'answer', pattern: string, place: BlockPlace | null): string | null {
  if (of === 'answer') return null;
  if (/^system(?:\.|$)/.test(pattern)) return 'system';
  return place !== null && isContent(place) && RESULT.test(pattern) ? 'tool' : null;
}

const RESULT = /^messages\.\*\.content\.\*\.content(?:\.|$)/;

const DELTA_OF_BLOCK = /^delta\.(?=(?:text|thinking|signature|data|content|encrypted_content)$)/;
const DELTA_OF_MESSAGE = /^delta\.(?:stop_reason|stop_sequence|stop_details|container)(?:\.|$)/;

/** A frame contains a message, a block or a piece of either. Their fields mean the same as in a whole answer. */
function placeInFrame(pattern: string): Partial<Place> {
  if (pattern === 'index') return { isQuantity: true, origin: null };
  if (pattern === 'type' || pattern === 'delta.type') return { vocabulary: vocabularyOf('frame', pattern, null), origin: null };
  return placeOf('answer', inAnswer(pattern));
}

function inAnswer(pattern: string): string {
  // A bridge lists the fields that were left out beside the message.
  if (pattern.startsWith('message.svc_')) return `?.${pattern}`;
  if (pattern.startsWith('message.')) return pattern.slice('message.'.length);
  if (pattern === 'content_block' || pattern.startsWith('content_block.')) return pattern.replace('content_block', 'content.*');
  if (pattern.startsWith('delta.citation.')) return pattern.replace('delta.citation', 'content.*.citations.*');
  if (DELTA_OF_BLOCK.test(pattern)) return pattern.replace('delta.', 'content.*.');
  if (DELTA_OF_MESSAGE.test(pattern)) return pattern.slice('delta.'.length);
  // Other fields may share a name with a field of a message, but mean something else.
  return /^(?:usage|context_management|svc_left_out)(?:\.|$)/.test(pattern) ? pattern : `?.${pattern}`;
}
