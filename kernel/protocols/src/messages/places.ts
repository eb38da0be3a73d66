import type { OpaqueKind } from '@svc/contracts';
import { bytesOf, imageLink, sealedValue, storedAs } from '../common/opaque.ts';

/** Where content blocks are: in a body, or in other blocks such as tool results and documents. */
const BLOCK = {
  request: /^(?:system|messages\.\*\.content)\.\*\./,
  answer: /^content\.\*\./,
} as const;
const NESTED = /^(?:content\.(?:\*\.)?|source\.content\.\*\.)(?=.)/;

/** A place within the innermost content block. */
export interface BlockPlace {
  readonly rest: string;
  /** Whether the block is inside another one. */
  readonly isNested: boolean;
}

/** Null if the place is not in a block. */
export function blockPlace(of: 'request' | 'answer', pattern: string): BlockPlace | null {
  const outer = BLOCK[of].exec(pattern)?.[0];
  if (outer === undefined) return null;
  let rest = pattern.slice(outer.length);
  let isNested = false;
  for (let inner = NESTED.exec(rest)?.[0]; inner !== undefined; inner = NESTED.exec(rest)?.[0]) {
    rest = rest.slice(inner.length);
    isNested = true;
  }
  return { rest, isNested };
}

/** The bytes of an image or file. The data of a plain-text source is text. */
const sourceData: OpaqueKind = (value, beside) => {
  if (Reflect.get(beside, 'type') === 'text') return null;
  const type: unknown = Reflect.get(beside, 'media_type');
  return bytesOf(typeof type === 'string' && type.startsWith('image/') ? 'image' : 'file')(value, beside);
};

/** Signatures and encrypted values that only Anthropic can read. */
const SEALED = /^(?:signature|data|encrypted_content|encrypted_stdout|citations\.\*\.encrypted_index)$/;

export function isSealed(block: string): boolean {
  return SEALED.test(block);
}

const FILE_ID = /(?:^|\.)file_id$/;

/** The kind of opaque value at this place. Null: it is always text. */
export function opaqueKindOf(block: string): OpaqueKind | null {
  if (isSealed(block)) return sealedValue;
  if (block === 'source.data') return sourceData;
  if (block === 'source.url') return imageLink;
  return FILE_ID.test(block) ? storedAs('file') : null;
}

/** Whether a place is the name of a tool or server. */
export function isName(pattern: string, block: string | null): boolean {
  if (block !== null)
    return /^(?:name|server_name|mcp_server_name|tool_name|tool_references\.\*\.tool_name|tools\.\*\.name)$/.test(block);
  return /^(?:tools\.\*\.(?:name|mcp_server_name)|tool_choice\.name|mcp_servers\.\*\.name)$/.test(pattern);
}

/** `call`: the id links a tool's result to its call. */
export function idKind(pattern: string, block: string | null): 'call' | 'other' | null {
  if (block === 'id' || block === 'tool_use_id' || block === 'caller.tool_id') return 'call';
  if (block !== null) return FILE_ID.test(block) ? 'other' : null;
  return /^(?:container|container\.id|diagnostics\.previous_message_id)$/.test(pattern) ? 'other' : null;
}

const QUANTITIES = {
  request:
    /^(?:max_tokens|temperature|top_p|top_k|thinking\.budget_tokens|output_config\.task_budget\.(?:total|remaining)|context_management\.edits\.\*\.(?:trigger|keep|clear_at_least)\.value|tools\.\*\.(?:max_uses|max_content_tokens|max_characters|display_width_px|display_height_px|display_number))$/,
  answer: /^(?:usage\..*|context_management\.applied_edits\.\*\.cleared_\w+)$/,
} as const;

const BLOCK_QUANTITIES =
  /^(?:return_code|num_lines|start_line|total_lines|old_start|old_lines|new_start|new_lines|citations\.\*\.(?:(?:start|end)_(?:char_index|page_number|block_index)|document_index|search_result_index))$/;

export function isQuantity(of: 'request' | 'answer', pattern: string, block: string | null): boolean {
  return block === null ? QUANTITIES[of].test(pattern) : BLOCK_QUANTITIES.test(block);
}
