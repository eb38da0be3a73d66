import type { OpaqueKind, Place } from '@svc/contracts';
import { bytesOf, imageLink, sealedValue, storedAs } from '../common/opaque.ts';
import { typeOf } from '../common/origin.ts';
import { originAt } from './origins.ts';
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

/**
 * The meaning of a place, wherever the item is.
 * @param place a result of {@link answerPlace} or {@link requestPlace}
 */
export function meaningOf(place: string): Partial<Place> {
  const isArguments = place === 'item.arguments';
  const opaqueKind = OPAQUE.find(([where]) => where.test(place))?.[1] ?? null;
  return {
    isToolArguments: isArguments,
    // The arguments of a tool search are an object.
    isToolInput: isArguments,
    isName: NAMES.test(place),
    isQuantity: isQuantity(place),
    vocabulary: vocabularyOf(place),
    idKind: place === 'item.call_id' ? 'call' : OTHER_IDS.test(place) ? 'other' : null,
    // The input that a model wrote for a tool, and the results of a tool or vendor.
    json: /^item\.(?!content|summary)/.test(place) ? 'anyone' : null,
    opaqueKind,
    isSealed: opaqueKind === sealedValue,
    isThinking: THINKING.test(place) ? isThought : null,
    // Vendors reject reasoning and compactions without their encrypted content.
    isEssential: opaqueKind === sealedValue,
    role: roleIn(place),
    ...originAt(place),
  };
}

/** Reasoning has parts, as a message does. */
const THINKING = /^item\.(?:summary|content)\.\*\.text$/;

function isThought(part: object): boolean {
  return /^(?:summary|reasoning)_text$/.test(typeOf(part) ?? '');
}

function roleIn(place: string): string | null {
  if (/^instructions($|\.)/.test(place)) return 'system';
  // A vendor that runs a tool puts the result into the item of the call.
  return /^item\.(output|outputs|result|results)($|\.)/.test(place) ? 'tool' : null;
}

/** Normalises a place in a request. `item` stands for any item, `tools` for any list of tools. */
export function requestPlace(pattern: string): string {
  return plainTools(pattern.replace(/^input\.\*(?=\.|$)/, 'item'));
}

/** As {@link requestPlace}, for an answer, which also repeats fields of its request. */
export function answerPlace(pattern: string): string {
  return plainTools(pattern.replace(/^(output|instructions)\.\*(?=\.|$)/, 'item'));
}

/** Lists of tools also occur in namespaces, choices and items. */
function plainTools(place: string): string {
  return place.replace(/^(item|tools\.\*|item\.tools\.\*|tool_choice)\.tools\.\*(?=\.)/, 'tools.*');
}
