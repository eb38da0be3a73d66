import { isObject, type JsonObject } from '@svc/contracts';
import { arrayAt, objectAt, textAt } from '../../common/bad-field.ts';
import { present } from '../../common/json-shapes.ts';
import type { Lost } from '../../common/lost.ts';
import { mediaType } from '../../common/media-type.ts';

/** Content blocks of the Messages API as content parts of the chat format. What has no place there is noted. */
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
    // What is cached ends with the block.
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
        // Its texts have a place, where they were found has none.
        this.#lost.note(parent, type);
        return this.ofContent(block.content ?? [], `${path}/content`, `${parent}.search_result`);
      case 'compaction':
        // A summary of all turns before it.
        this.#lost.note(parent, type);
        return typeof block.content === 'string' && block.content !== '' ? [textPart(block.content)] : [];
      default:
        // A vendor's own tools and what they found.
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
    // Its text has a place, that it is a document has none.
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

/** The blocks of a content: a text is one. @throws {SvcError} SVC-REQ-001 */
export function blocksAt(content: unknown, path: string): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)];
  return arrayAt(content, path).map((block, index) => objectAt(block, `${path}/${index}`));
}
