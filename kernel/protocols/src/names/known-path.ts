import { type Protocol, VENDOR_TOOLS } from '@svc/contracts';
import { words } from '../common/words.ts';
import { CHAT_NAMES } from './chat.ts';
import { MESSAGES_NAMES } from './messages.ts';
import { isResponsesName } from './responses.ts';

/** Whether a field name of any protocol may appear in events, headers and errors. */
export function isKnownName(name: string): boolean {
  return CHAT_NAMES.has(name) || MESSAGES_NAMES.has(name) || isResponsesName(name);
}

/** Whether a path such as `tools[0].function.parameters` has only known field names. */
export function isKnownParam(path: string): boolean {
  return (
    path.length <= 128 &&
    // Enough digits for indexes, too few for most other numbers.
    (path.match(/\d/g)?.length ?? 0) <= 6 &&
    /^\w+(\.\w+|\[\d{1,4}\])*$/.test(path) &&
    path.split(/[.[\]]+/).every((part) => part === '' || /^\d+$/.test(part) || isKnownName(part))
  );
}

const VENDOR_TOOL_TYPES = words(VENDOR_TOOLS);

/**
 * A path such as `tools.web_search`, cut off at its first unknown name, which becomes `other`. Callers choose the names of parameters and the types
 * of tools, so only known ones may appear in events.
 * @param protocol the protocol of the request, if it comes from a plugin
 */
export function knownPath(path: string, protocol?: Protocol): string {
  const names = path.split('.');
  const isKnown = (name: string) => isKnownName(name) || VENDOR_TOOL_TYPES.has(name) || protocol?.request.isKnownField(name);
  const unknown = names.findIndex((name) => !isKnown(name));
  return unknown === -1 ? path : [...names.slice(0, unknown), 'other'].join('.');
}
