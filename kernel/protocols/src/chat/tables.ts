import type { FieldTable, Place } from '@svc/contracts';
import { fieldTable } from '../common/field-table.ts';
import { CHAT_NAMES } from '../names/chat.ts';
import { originAt } from './origins.ts';
import { idKind, isName, isSealed, isSigned, isThinking, isToolArguments, mayBeJsonOf, opaqueKindOf } from './places.ts';
import { isOwn, isQuantity, vocabularyOf } from './vocabulary.ts';

export const CHAT_REQUEST: FieldTable = fieldTable('messages', CHAT_NAMES, (pattern) => placeOf('request', pattern));
export const CHAT_ANSWER: FieldTable = fieldTable('choices', CHAT_NAMES, (pattern) => placeOf('answer', pattern));

function placeOf(of: 'request' | 'answer', pattern: string): Partial<Place> {
  const isArguments = isToolArguments(pattern);
  return {
    // The arguments in an answer are parsed by a tool. Those in a request are read by a model as they are.
    isToolArguments: of === 'answer' && isArguments,
    isName: isName(pattern),
    isOwn: isOwn(of, pattern),
    isQuantity: isQuantity(of, pattern),
    vocabulary: vocabularyOf(of, pattern),
    idKind: idKind(pattern),
    json: isArguments && of === 'request' ? 'anyone' : mayBeJsonOf(pattern),
    opaqueKind: opaqueKindOf(pattern),
    isSealed: isSealed(pattern),
    isSigned: isSigned(pattern),
    isThinking: isThinking(pattern) ? () => true : null,
    ...originAt(pattern),
  };
}
