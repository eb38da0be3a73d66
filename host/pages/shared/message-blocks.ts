import type { Turn } from './turns.ts';

/** A displayable part of a message. `image` holds a data: URL of a raster image; `field` is anything else, with its name. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly src: string }
  | { readonly kind: 'field'; readonly label: string; readonly text: string };

/**
 * Everything in a message, in order. An approver decides on all of it, so unknown parts are shown as JSON rather than
 * left out.
 */
export function messageBlocks({ role: _, content, tool_calls, ...rest }: Turn): Block[] {
  const blocks = typeof content === 'string' ? textBlock(content) : listed('content', content).flatMap(partBlock);
  for (const call of listed('call', tool_calls)) blocks.push(callBlock(call));
  for (const [name, value] of Object.entries(rest)) {
    if (!isEmpty(value)) blocks.push({ kind: 'field', label: visible(name), text: asText(value) });
  }
  return blocks;
}

/** Treats a value that is not a list as a list of one. */
function listed(name: string, value: unknown): readonly unknown[] {
  if (isEmpty(value)) return [];
  return Array.isArray(value) ? value : [{ [name]: value }];
}

function callBlock(call: unknown): Block {
  const { type, function: called } =
    typeof call === 'object' && call !== null ? (call as { type?: unknown; function?: unknown }) : {};
  const { name, arguments: given } =
    typeof called === 'object' && called !== null ? (called as { name?: unknown; arguments?: unknown }) : {};
  return { kind: 'field', label: visible(`calls ${String(name ?? type)}`), text: asText(given ?? call) };
}

function partBlock(part: unknown): Block[] {
  if (!isPart(part)) return [{ kind: 'field', label: 'part', text: asText(part) }];
  const known = Object.hasOwn(KNOWN, part.type) ? KNOWN[part.type] : undefined;
  if (known !== undefined && Object.entries(part).every(([name, value]) => isEmpty(value) || isUnderstood(name, value, known)))
    return known.blocks(part);
  const url = imageUrl(part);
  if (url !== null && RASTER.test(url)) {
    const { type, image_url: _, source: __, ...rest } = part;
    const more: Block[] = Object.values(rest).every(isEmpty) ? [] : [{ kind: 'field', label: visible(type), text: asText(rest) }];
    return [{ kind: 'image', src: url }, ...more];
  }
  return [{ kind: 'field', label: url === null ? visible(part.type) : 'image, not loaded', text: asText(url ?? part) }];
}

type Part = Turn & { readonly type: string };

function isPart(part: unknown): part is Part {
  return typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string';
}

interface KnownPart {
  readonly fields: readonly string[];
  readonly blocks: (part: Part) => Block[];
}

/** Fields that a reader does not need, if they have their usual form. */
const IDS: ReadonlySet<string> = new Set(['id', 'tool_use_id', 'signature']);

function isUnderstood(name: string, value: unknown, { fields }: KnownPart): boolean {
  return fields.includes(name) && (!IDS.has(name) || (typeof value === 'string' && /^[\w+/=.-]+$/.test(value)));
}

/** Parts shown as words if they have no other fields than these. */
const KNOWN: Readonly<Record<string, KnownPart>> = {
  text: { fields: ['type', 'text'], blocks: ({ text }) => textOrField('text', text) },
  input_text: { fields: ['type', 'text'], blocks: ({ text }) => textOrField('input_text', text) },
  output_text: { fields: ['type', 'text'], blocks: ({ text }) => textOrField('output_text', text) },
  thinking: {
    fields: ['type', 'thinking', 'signature'],
    blocks: ({ thinking }) => [{ kind: 'field', label: 'thinking', text: asText(thinking) }],
  },
  tool_use: {
    fields: ['type', 'id', 'name', 'input'],
    blocks: ({ name, input }) => [{ kind: 'field', label: visible(`calls ${asText(name)}`), text: asText(input) }],
  },
  tool_result: {
    fields: ['type', 'tool_use_id', 'content', 'is_error'],
    blocks: ({ content, is_error }) => {
      const label = is_error === true ? 'result, an error' : 'result';
      return typeof content === 'string'
        ? [{ kind: 'field', label, text: asText(content) }]
        : listed('content', content)
            .flatMap(partBlock)
            .map((block) => (block.kind === 'text' ? { ...block, kind: 'field', label } : block));
    },
  },
};

function textOrField(label: string, text: unknown): Block[] {
  return typeof text === 'string' ? textBlock(text) : [{ kind: 'field', label, text: asText(text) }];
}

const RASTER = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

function imageUrl({ type, image_url, source }: Part): string | null {
  if (type === 'image' && typeof source === 'object' && source !== null) return addressIn(source);
  if (typeof image_url === 'string') return image_url;
  const url = typeof image_url === 'object' && image_url !== null && 'url' in image_url ? image_url.url : null;
  return typeof url === 'string' ? url : null;
}

/** An image of the Messages API. */
function addressIn(source: object): string | null {
  const { media_type, data, url } = source as Turn;
  if (typeof url === 'string') return url;
  return typeof media_type === 'string' && typeof data === 'string' ? `data:${media_type};base64,${data}` : null;
}

function textBlock(text: string): Block[] {
  return text === '' ? [] : [{ kind: 'text', text: visible(text) }];
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

function asText(value: unknown): string {
  if (typeof value === 'string') return visible(shorten(value));
  return visible(JSON.stringify(value, (_, member: unknown) => (typeof member === 'string' ? shorten(member) : member), 2) ?? '');
}

/**
 * Shortens encoded bytes (base64, data: URLs). Anything else may be meant to be read and stays whole: compact JSON,
 * and languages without spaces.
 */
function shorten(text: string): string {
  return /^(?:data:[\w/+.;=-]{1,100},)?[A-Za-z0-9+/_-]{400,}={0,2}$/.test(text)
    ? `${text.slice(0, 80)}… (${text.length} characters)`
    : text;
}

/**
 * Text with its invisible characters spelled out: control characters, bidirectional overrides, tags, and zero-width
 * characters that hide words. So an approver reads what the model gets.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `⟨U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

const UNSEEN =
  /(?![\t\r\n])[\p{Cc}\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E007F}]|[\u{E0100}-\u{E01EF}]/gu;
