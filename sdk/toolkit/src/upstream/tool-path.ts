import { isObject, withoutDate } from '@svc/contracts';

/** The path in `unsupported` for a tool that a provider does not support: `tools.web_search` for `{ type: 'web_search_20250305' }`. */
export function toolPath(tool: unknown): string {
  return isObject(tool) && typeof tool.type === 'string' ? `tools.${withoutDate(tool.type)}` : 'tools';
}
