import type { OpaqueKind, Place } from '@svc/contracts';
import { bytesOf, imageLink, sealedValue, storedAs } from '../common/opaque.ts';
import { isQuantity, vocabularyOf } from './vocabulary.ts';

/** Parts of messages and of tool results. */
const PART = String.raw`^item\.(content\.\*|output|output\.\*)\.`;

const OPAQUE: readonly (readonly [place: RegExp, kind: OpaqueKind])[] = [
  [/^item\.encrypted_content$/, sealedValue],
  [new RegExp(`${PART}image_url(\\.url)?$`), imageLink],
  [new RegExp(`${PART}file_data$`), bytesOf('file')],
  [new RegExp(`${PART}(file_url|file_id)$`), storedAs('file')],
  [new RegExp(`${PART}input_audio\\.data$`), bytesOf('audio')],
  [/^item\.result$/, bytesOf('image')],
  [/^item\.outputs\.\*\.url$/, imageLink],
  [/^tools\.\*\.input_image_mask\.image_url$/, imageLink],
  [/^tools\.\*\.environment\.skills\.\*\.source\.data$/, bytesOf('file')],
];

const NAMES = /^(item|tools\.\*|tool_choice)\.(name|namespace|server_label)$|^text\.format\.name$/;
const OTHER_IDS =
  /^(item\.(id|approval_request_id|container_id)|previous_response_id|conversation(\.id)?|prompt\.id|tools\.\*\.vector_store_ids\.\*)$/;

/** What a place means, wherever its item stands. @param place as {@link answerPlace} and {@link requestPlace} write it */
export function meaningOf(place: string): Partial<Place> {
  const isArguments = place === 'item.arguments';
  const opaqueKind = OPAQUE.find(([where]) => where.test(place))?.[1] ?? null;
  return {
    isToolArguments: isArguments,
    // A search for tools has its arguments as an object.
    isToolInput: isArguments,
    isName: NAMES.test(place),
    isQuantity: isQuantity(place),
    vocabulary: vocabularyOf(place),
    idKind: place === 'item.call_id' ? 'call' : OTHER_IDS.test(place) ? 'other' : null,
    // What a model wrote for a tool, and what a tool or a vendor gave.
    json: /^item\.(?!content|summary)/.test(place) ? 'anyone' : null,
    opaqueKind,
    isSealed: opaqueKind === sealedValue,
    isThinking: THINKING.test(place) ? isThought : null,
    // A vendor refuses reasoning and compactions without it.
    isEssential: opaqueKind === sealedValue,
    role: roleIn(place),
  };
}

/** A reasoning has parts like a message. */
const THINKING = /^item\.(?:summary|content)\.\*\.text$/;

function isThought(part: object): boolean {
  return /^(?:summary|reasoning)_text$/.test(String(Reflect.get(part, 'type')));
}

function roleIn(place: string): string | null {
  if (/^instructions($|\.)/.test(place)) return 'system';
  // A vendor that ran a tool itself puts what it gave into the item of its call.
  return /^item\.(output|outputs|result|results)($|\.)/.test(place) ? 'tool' : null;
}

/** A place of a request: with `item` for any item, and `tools` for any tools. */
export function requestPlace(pattern: string): string {
  return plainTools(pattern.replace(/^input\.\*(?=\.)/, 'item'));
}

/** A place of an answer, in the same words. It repeats fields of its request. */
export function answerPlace(pattern: string): string {
  return plainTools(pattern.replace(/^(output|instructions)\.\*(?=\.)/, 'item'));
}

/** Tools stand in namespaces, in choices, and in items, too. */
function plainTools(place: string): string {
  return place.replace(/^(item|tools\.\*|item\.tools\.\*|tool_choice)\.tools\.\*(?=\.)/, 'tools.*');
}
