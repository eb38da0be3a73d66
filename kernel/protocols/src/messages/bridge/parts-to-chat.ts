import { isObject, type JsonObject } from '@svc/contracts';
import { arrayAt, objectAt, textAt } from '../../common/bad-field.ts';
import { present } from '../../common/json-shapes.ts';
import type { Lost } from '../../common/lost.ts';
import { mediaType } from '../../common/media-type.ts';

/** Converts content blocks of the Messages API to content parts of the chat format. Records content without an equivalent as lost. */
export class PartsToChat {
  readonly #lost: Lost;

  constructor(lost: Lost) {
    this.#lost = lost;
  }

  /** @throws {SvcError} SVC-REQ-001 */
  ofContent(content: unknown, path: string, parent: string): JsonObject[] {
    return blocksAt(content, path).flatMap((block, index) => this.ofBlock(block, `${path}/${index}`, parent));
  }

  /** @throws {SvcError} SVC-REQ-001 */
  ofBlock({ cache_control, ...block }: JsonObject, path: string, parent: string): JsonObject[] {
    const parts = this.#bare(block, path, parent);
    const last = parts.pop();
    // A block's cache breakpoint belongs to the last of its parts.
    return last === undefined ? [] : [...parts, { ...last, ...present({ cache_control }) }];
  }

  #bare({ type, ...block }: JsonObject, path: string, parent: string): JsonObject[] {
    switch (type) {
      case 'text': {
        const { text, ...rest } = block;
        this.#lost.noteAll(parent, rest);
        return [textPart(textAt(text, `${path}/text`))];
      }
      case 'image':
        return this.#image(block, path, `${parent}.image`);
      case 'document':
        return this.#document(block, path, `${parent}.document`);
      case 'search_result':
        // Keeps the texts of the search results. Their sources are lost.
        this.#lost.note(parent, type);
        return this.ofContent(block.content ?? [], `${path}/content`, `${parent}.search_result`);
      case 'compaction':
        // A summary of all earlier turns.
        this.#lost.note(parent, type);
        return typeof block.content === 'string' && block.content !== '' ? [textPart(block.content)] : [];
      default:
        // Calls and results of a vendor's own tools.
        this.#lost.note(parent, textAt(type, `${path}/type`));
        return [];
    }
  }

  #image({ source, ...rest }: JsonObject, path: string, parent: string): JsonObject[] {
    this.#lost.noteAll(parent, rest);
    const from = objectAt(source, `${path}/source`);
    if (from.type === 'base64') return [imagePart(dataUrl(from, `${path}/source`))];
    if (from.type === 'url') return [imagePart(textAt(from.url, `${path}/source/url`))];
    this.#lost.note(`${parent}.source`, textAt(from.type, `${path}/source/type`));
    return [];
  }

  #document({ source, title, citations, ...rest }: JsonObject, path: string, parent: string): JsonObject[] {
    this.#lost.noteAll(parent, { ...rest, citations: isObject(citations) && citations.enabled === true ? true : null });
    const from = objectAt(source, `${path}/source`);
    if (from.type === 'base64')
      return [{ type: 'file', file: present({ file_data: dataUrl(from, `${path}/source`), filename: title }) }];
    this.#lost.noteAll(parent, { title });
    // Keeps the text. The fact that it was a document is lost.
    if (from.type === 'text' || from.type === 'content') this.#lost.note(parent, 'source');
    if (from.type === 'text') return [textPart(textAt(from.data, `${path}/source/data`))];
    if (from.type === 'content') return this.ofContent(from.content ?? [], `${path}/source/content`, parent);
    this.#lost.note(`${parent}.source`, textAt(from.type, `${path}/source/type`));
    return [];
  }
}

function textPart(text: string): JsonObject {
  return { type: 'text', text };
}

function imagePart(url: string): JsonObject {
  return { type: 'image_url', image_url: { url } };
}

function dataUrl({ media_type, data }: JsonObject, path: string): string {
  return `data:${mediaType(textAt(media_type, `${path}/media_type`))};base64,${textAt(data, `${path}/data`)}`;
}

/**
 * The blocks of a `content`. A string becomes one text block.
 * @throws {SvcError} SVC-REQ-001
 */
export function blocksAt(content: unknown, path: string): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)];
  return arrayAt(content, path).map((block, index) => objectAt(block, `${path}/${index}`));
}
