import { isObject, type JsonObject } from '@svc/contracts';
import type { Lost } from '../../common/lost.ts';
import { mediaType } from '../../common/media-type.ts';
import { words } from '../../common/words.ts';
import { unsupported } from '../../upstream-error/index.ts';

export type Block = JsonObject & { readonly type: string };

const IMAGE = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+=-]+)*;base64,(.*)$/is;
const IMAGE_TYPES = words('image/jpeg image/png image/gif image/webp');
const PDF = /^data:application\/pdf;base64,(.*)$/s;

/** The API rejects empty and blank text blocks. */
function textBlocks(text: unknown): Block[] {
  if (typeof text !== 'string') throw unsupported('a text part without text');
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function imageBlock(image: unknown, lost: Lost): Block {
  const { url, detail, ...rest }: Readonly<Record<string, unknown>> = isObject(image) ? image : { url: image };
  lost.noteAll('messages.content.image_url', { ...rest, detail: detail === 'auto' ? null : detail });
  if (typeof url !== 'string') throw unsupported('an image without a URL');
  // The API fetches the URL. The gateway never does.
  if (/^https?:/i.test(url)) return { type: 'image', source: { type: 'url', url } };
  const [, type = '', data] = IMAGE.exec(url) ?? [];
  const media_type = mediaType(type.toLowerCase());
  if (!IMAGE_TYPES.has(media_type) || data === undefined) throw unsupported('an image format that the API does not support');
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

function documentBlock(file: unknown, lost: Lost): Block {
  const { file_data, filename, ...rest } = isObject(file) ? file : {};
  const [, data] = typeof file_data === 'string' ? (PDF.exec(file_data) ?? []) : [];
  if (data === undefined) throw unsupported('a file that is not a PDF');
  lost.noteAll('messages.content.file', rest);
  const source = { type: 'base64', media_type: 'application/pdf', data };
  return { type: 'document', source, ...(typeof filename === 'string' && { title: filename }) };
}

/** Copies a part's cache breakpoint to its block. */
export function cached(block: Block, { cache_control }: Readonly<Record<string, unknown>>): Block {
  return isObject(cache_control) ? { ...block, cache_control } : block;
}

/** The blocks for a part. Reports fields that they cannot express as lost. */
function blocksOfPart(part: JsonObject, lost: Lost): { blocks: Block[]; rest: object } {
  const { type, cache_control: _, ...fields } = part;
  switch (type) {
    case 'text': {
      const { text, ...rest } = fields;
      return { blocks: textBlocks(text), rest };
    }
    case 'refusal': {
      const { refusal, ...rest } = fields;
      return { blocks: textBlocks(refusal), rest };
    }
    case 'image_url': {
      const { image_url, ...rest } = fields;
      return { blocks: [imageBlock(image_url, lost)], rest };
    }
    case 'file': {
      const { file, ...rest } = fields;
      return { blocks: [documentBlock(file, lost)], rest };
    }
    default:
      throw unsupported('a content part that the API does not support');
  }
}

/**
 * A message's content as blocks. Blank texts are dropped.
 * @throws {ProviderError} `unsupported` for content that the API does not support
 */
export function blocksFromChat(content: unknown, lost: Lost): Block[] {
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return textBlocks(content);
  return content.flatMap((part: unknown) => {
    if (!isObject(part)) throw unsupported('a content part that is not an object');
    const { blocks, rest } = blocksOfPart(part, lost);
    lost.noteAll('messages.content', rest);
    return blocks.map((block) => cached(block, part));
  });
}
