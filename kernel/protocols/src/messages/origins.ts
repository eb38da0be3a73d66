import type { Place, TextOrigin } from '@svc/contracts';
import { typeOf, unknownOrigin } from '../common/origin.ts';
import { words } from '../common/words.ts';

const TURN = { request: /^messages\.\*(?:\.|$)/, answer: /^content\.\*(?:\.|$)/ } as const;
const BLOCK = { request: /^messages\.\*\.content\.\*$/, answer: /^content\.\*$/ } as const;
const SAID = words(
  `text image thinking redacted_thinking tool_use server_tool_use mcp_tool_use tool_reference compaction fallback mid_conv_system`,
);
const DOCUMENTS = words('document search_result container_upload');

/** Where the texts of a place come from. @param block the place within a content block; null: not in one */
export function originAt(of: 'request' | 'answer', pattern: string, block: string | null): Pick<Place, 'origin' | 'originOf'> {
  const unknown = unknownOrigin(pattern, TURN[of]);
  const origin = unknown ?? (block !== null && /^citations(?:\.|$)/.test(block) ? 'document' : null);
  return { origin, originOf: BLOCK[of].test(pattern) ? originOfBlock : null };
}

function originOfBlock(block: object): TextOrigin | null {
  const type = typeOf(block) ?? '';
  if (SAID.has(type)) return null;
  if (DOCUMENTS.has(type)) return 'document';
  return /(?:^|_)(?:tool_result|mcp_tool_listing)$/.test(type) ? 'tool' : 'unknown';
}
