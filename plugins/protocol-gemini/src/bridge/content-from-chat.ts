import { type ChatMessage, isObject, type JsonObject } from '@svc/sdk';
import { type Lost, mediaType, says, unsupported } from '@svc/sdk/protocol';

const DATA_URL = /^data:([\w.+/-]+);base64,(.*)$/s;
const PLACE = 'messages.content';

/**
 * The content of a message as parts.
 * @throws {ProviderError} `unsupported` for content that the API does not support
 */
export function partsOf(content: ChatMessage['content'], lost: Lost): JsonObject[] {
  if (content == null || content === '') return [];
  if (!Array.isArray(content)) return [{ text: content }];
  return content.flatMap((part) => {
    if (!isObject(part)) throw unsupported('a content part that is not an object');
    const { type, ...fields } = part;
    const convert = typeof type === 'string' ? PARTS.get(type) : undefined;
    if (convert === undefined) throw unsupported('a content part that the API does not support');
    return convert(fields, lost);
  });
}

type Convert = (fields: JsonObject, lost: Lost) => JsonObject[];

const PARTS: ReadonlyMap<string, Convert> = new Map<string, Convert>([
  ['text', ({ text, ...rest }, lost) => textParts(text, rest, lost)],
  ['refusal', ({ refusal, ...rest }, lost) => textParts(refusal, rest, lost)],
  ['image_url', imageParts],
  ['input_audio', audioParts],
  ['file', fileParts],
]);

function textParts(text: unknown, rest: object, lost: Lost): JsonObject[] {
  lost.noteAll(PLACE, rest);
  if (typeof text !== 'string') throw unsupported('a text part without text');
  return says(text) ? [{ text }] : [];
}

/** The API fetches the link. The gateway never does. */
function imageParts({ image_url, ...rest }: JsonObject, lost: Lost): JsonObject[] {
  const { url, detail, ...others } = isObject(image_url) ? image_url : { url: image_url ?? null };
  lost.noteAll(PLACE, rest);
  lost.noteAll(`${PLACE}.image_url`, { ...others, detail: detail === 'auto' ? null : detail });
  if (typeof url !== 'string') throw unsupported('an image without a URL');
  const [, mimeType, data] = DATA_URL.exec(url) ?? [];
  return mimeType === undefined || data === undefined
    ? [{ fileData: { fileUri: url } }]
    : [{ inlineData: { mimeType: mediaType(mimeType), data } }];
}

function audioParts({ input_audio, ...rest }: JsonObject, lost: Lost): JsonObject[] {
  const { data, format, ...others } = isObject(input_audio) ? input_audio : {};
  lost.noteAll(PLACE, rest);
  lost.noteAll(`${PLACE}.input_audio`, others);
  if (typeof data !== 'string' || typeof format !== 'string') throw unsupported('audio without data');
  return [{ inlineData: { mimeType: `audio/${format}`, data } }];
}

function fileParts({ file, ...rest }: JsonObject, lost: Lost): JsonObject[] {
  const { file_data, filename, ...others } = isObject(file) ? file : {};
  lost.noteAll(PLACE, rest);
  lost.noteAll(`${PLACE}.file`, others);
  const [, mimeType, data] = DATA_URL.exec(typeof file_data === 'string' ? file_data : '') ?? [];
  if (mimeType === undefined || data === undefined) throw unsupported('a file without data');
  return [{ inlineData: { mimeType, data, ...(typeof filename === 'string' && { displayName: filename }) } }];
}
