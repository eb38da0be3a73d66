import { isObject, type JsonObject } from '@svc/sdk';
import { badField, type Lost, mediaType, nameIn, textAt } from '@svc/sdk/protocol';

const AUDIO: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
]);

/**
 * A user's part as parts of the chat format. Reports what the chat format cannot express as lost.
 * @throws {SvcError} SVC-REQ-001
 */
export function contentToChat(part: JsonObject, path: string, place: string, lost: Lost): JsonObject[] {
  const { text, inlineData, fileData, thoughtSignature: _, ...rest } = part;
  lost.noteAll(place, rest);
  if (text !== undefined) return text === '' ? [] : [{ type: 'text', text: textAt(text, `${path}/text`) }];
  if (isObject(inlineData)) return [bytesToChat(inlineData, `${path}/inlineData`, place, lost)];
  if (!isObject(fileData)) return [];
  const { fileUri, mimeType, ...others } = fileData;
  lost.noteAll(`${place}.fileData`, others);
  if (typeof fileUri === 'string' && /^https?:/.test(fileUri) && nameIn(mimeType ?? 'image/').startsWith('image/'))
    return [{ type: 'image_url', image_url: { url: fileUri } }];
  lost.note(place, 'fileData');
  return [];
}

function bytesToChat({ mimeType, data, ...rest }: JsonObject, path: string, place: string, lost: Lost): JsonObject {
  const { displayName, ...others } = rest;
  lost.noteAll(`${place}.inlineData`, others);
  const type = mediaType(textAt(mimeType, `${path}/mimeType`));
  const bytes = textAt(data, `${path}/data`);
  if (bytes === '') throw badField(`${path}/data`, 'must not be empty');
  const url = `data:${type};base64,${bytes}`;
  const format = AUDIO.get(type);
  if (format !== undefined) return { type: 'input_audio', input_audio: { data: bytes, format } };
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  return { type: 'file', file: { file_data: url, ...(typeof displayName === 'string' && { filename: displayName }) } };
}
