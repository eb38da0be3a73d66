import { isObject, withoutDate } from '@svc/contracts';

/** How `unsupported` names a tool that a provider does not take: `tools.web_search` for `{ type: 'web_search_20250305' }`. */
export function toolPath(tool: unknown): string {
  return isObject(tool) && typeof tool.type === 'string' ? `tools.${withoutDate(tool.type)}` : 'tools';
}
