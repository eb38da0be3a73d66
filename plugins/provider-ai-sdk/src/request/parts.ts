import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider';
import type { JsonObject } from '@svc/sdk';
import { unsupported } from '@svc/sdk/protocol';
import { isObject } from '@svc/toolkit/upstream';

export type Part = LanguageModelV4TextPart | LanguageModelV4FilePart;

const DATA_URL = /^data:([a-z]+\/[\w.+-]+);base64,([A-Za-z0-9+/=\s]*)$/i;

/** Media types of OpenAI's `input_audio.format`. */
const AUDIO: ReadonlyMap<unknown, string> = new Map([
  ['wav', 'audio/wav'],
  ['mp3', 'audio/mpeg'],
]);

function textPart(text: unknown): LanguageModelV4TextPart[] {
  if (typeof text !== 'string') throw unsupported('a text part without text');
  return text === '' ? [] : [{ type: 'text', text }];
}

function dataPart(url: string): LanguageModelV4FilePart {
  const [, mediaType, data] = DATA_URL.exec(url) ?? [];
  if (mediaType === undefined || data === undefined) throw unsupported('a file format that the specification does not support');
  return { type: 'file', mediaType, data: { type: 'data', data } };
}

function imagePart(image: unknown): LanguageModelV4FilePart {
  const url = isObject(image) ? image.url : image;
  if (typeof url !== 'string') throw unsupported('an image without a URL');
  // The package rejects URLs if its model cannot fetch them.
  if (/^https:/i.test(url) && URL.canParse(url))
    return { type: 'file', mediaType: 'image/*', data: { type: 'url', url: new URL(url) } };
  return dataPart(url);
}

function filePart(file: unknown): LanguageModelV4FilePart {
  const { file_data, filename } = isObject(file) ? file : {};
  if (typeof file_data !== 'string') throw unsupported('a file without data');
  return { ...dataPart(file_data), ...(typeof filename === 'string' && { filename }) };
}

function audioPart(audio: unknown): LanguageModelV4FilePart {
  const { data, format } = isObject(audio) ? audio : {};
  const mediaType = AUDIO.get(format);
  if (typeof data !== 'string' || mediaType === undefined)
    throw unsupported('an audio format that the specification does not support');
  return { type: 'file', mediaType, data: { type: 'data', data } };
}

/** Fields of a part that are converted, by type. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  refusal: ['refusal'],
  image_url: ['image_url', 'url'],
  file: ['file', 'file_data', 'filename'],
  input_audio: ['input_audio', 'data', 'format'],
};

function partOf(part: JsonObject): Part[] {
  switch (part.type) {
    case 'text':
      return textPart(part.text);
    case 'refusal':
      return textPart(part.refusal);
    case 'image_url':
      return [imagePart(part.image_url)];
    case 'file':
      return [filePart(part.file)];
    case 'input_audio':
      return [audioPart(part.input_audio)];
    default:
      throw unsupported('a content part that the specification does not support');
  }
}

/** Whether a part has fields that are lost in conversion. `detail: auto` does not count. */
function losesHints(part: JsonObject): boolean {
  const known = ['type', ...(FIELDS[String(part.type)] ?? [])];
  const inner = [part.image_url, part.file, part.input_audio].filter(isObject).flatMap((fields) => Object.entries(fields));
  return [...Object.entries(part), ...inner].some(
    ([field, value]) => value !== null && !known.includes(field) && !(field === 'detail' && value === 'auto'),
  );
}

/**
 * A message's content as parts, without empty texts. `hintsLost`: some fields were lost.
 * @throws {ProviderError} `invalid_request` for content that the specification cannot express
 */
export function partsOf(content: unknown): { parts: Part[]; hintsLost: boolean } {
  if (content === null || content === undefined) return { parts: [], hintsLost: false };
  if (!Array.isArray(content)) return { parts: textPart(content), hintsLost: false };
  const given = content.map((part) => {
    if (!isObject(part)) throw unsupported('a content part that is not an object');
    return part;
  });
  return { parts: given.flatMap(partOf), hintsLost: given.some(losesHints) };
}

/** @throws {ProviderError} `invalid_request` if a part is not text; `what` names the place */
export function textsOf(parts: readonly Part[], what: string): LanguageModelV4TextPart[] {
  return parts.map((part) => {
    if (part.type !== 'text') throw unsupported(what);
    return part;
  });
}
