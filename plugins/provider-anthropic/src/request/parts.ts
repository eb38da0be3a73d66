import type { JsonObject } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';
import { refused } from './refused.ts';

/** A content block of the Messages API. */
export type Block = JsonObject & { readonly type: string };

const IMAGE = /^data:(image\/(?:jpeg|png|gif|webp));base64,(.*)$/s;
const PDF = /^data:application\/pdf;base64,(.*)$/s;

/** The API rejects blocks of empty text or white space. */
function textBlocks(text: unknown): Block[] {
  if (typeof text !== 'string') throw refused('a text that is no text');
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function imageBlock(image: unknown): Block {
  const url = isObject(image) ? image.url : image;
  if (typeof url !== 'string') throw refused('an image without a URL');
  // The API fetches it; the gateway never does.
  if (/^https?:/i.test(url)) return { type: 'image', source: { type: 'url', url } };
  const [, media_type, data] = IMAGE.exec(url) ?? [];
  if (media_type === undefined || data === undefined) throw refused('an image in a form that the API does not take');
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

function documentBlock(file: unknown): Block {
  const { file_data, filename } = isObject(file) ? file : {};
  const [, data] = typeof file_data === 'string' ? (PDF.exec(file_data) ?? []) : [];
  if (data === undefined) throw refused('a file that is not PDF data');
  const source = { type: 'base64', media_type: 'application/pdf', data };
  return { type: 'document', source, ...(typeof filename === 'string' && { title: filename }) };
}

/** Translated fields of a part, by its type. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  refusal: ['refusal'],
  image_url: ['image_url', 'url'],
  file: ['file', 'file_data', 'filename'],
};

/** A block, and where its cache ends if that was asked for. */
export function cached(block: Block, { cache_control }: Readonly<Record<string, unknown>>): Block {
  return isObject(cache_control) ? { ...block, cache_control } : block;
}

function partBlocks(part: JsonObject): Block[] {
  return bareBlocks(part).map((block) => cached(block, part));
}

function bareBlocks(part: JsonObject): Block[] {
  switch (part.type) {
    case 'text':
      return textBlocks(part.text);
    case 'refusal':
      return textBlocks(part.refusal);
    case 'image_url':
      return [imageBlock(part.image_url)];
    case 'file':
      return [documentBlock(part.file)];
    default:
      throw refused('a content part that the API has not');
  }
}

/** Whether a part has information that its block does not carry. `detail: auto` is none. */
function losesHints(part: JsonObject): boolean {
  const known = ['type', 'cache_control', ...(FIELDS[String(part.type)] ?? [])];
  const inner = [part.image_url, part.file].filter(isObject).flatMap((fields) => Object.entries(fields));
  return [...Object.entries(part), ...inner].some(
    ([field, value]) => value !== null && !known.includes(field) && !(field === 'detail' && value === 'auto'),
  );
}

/**
 * A message's content as blocks, without blank texts. `hintsLost`: some fields of the parts are not translated.
 * @throws {ProviderError} `invalid_request` for content that the API does not support
 */
export function blocksOf(content: unknown): { blocks: Block[]; hintsLost: boolean } {
  if (content === undefined || content === null) return { blocks: [], hintsLost: false };
  if (!Array.isArray(content)) return { blocks: textBlocks(content), hintsLost: false };
  const parts = content.map((part: unknown) => {
    if (!isObject(part)) throw refused('a content part that is no object');
    return part;
  });
  return { blocks: parts.flatMap(partBlocks), hintsLost: parts.some(losesHints) };
}
