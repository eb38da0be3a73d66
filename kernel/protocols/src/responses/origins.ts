import type { Place, TextOrigin } from '@svc/contracts';
import { typeOf, unknownOrigin } from '../common/origin.ts';
import { words } from '../common/words.ts';
import { ITEM_TYPES } from '../names/responses.ts';
import { SPEAKERS } from './turns.ts';

const ITEM = /^item(?:\.|$)/;
const ARGUMENTS = /^item\.arguments(?:\.|$)/;
const SAID = words(
  'input_text output_text refusal reasoning_text summary_text text input_image input_audio output_audio computer_screenshot',
);
/** What a vendor wrote, or its own tools returned, except outputs, which have their own role. */
const RETURNED = /^item\.(?:error|pending_safety_checks|action\.sources)(?:\.|$)/;
/** What was found in files and on pages of the web, and citations. */
const FOUND = /^item\.(?:results|action\.(?:url|title)|content\.\*\.annotations)(?:\.|$)/;

/** Where the texts of a place come from. `item` is any item. */
export function originAt(place: string): Pick<Place, 'origin' | 'originOf'> {
  if (ARGUMENTS.test(place)) return { origin: null, originOf: null };
  const origin = unknownOrigin(place, ITEM) ?? (RETURNED.test(place) ? 'tool' : FOUND.test(place) ? 'document' : null);
  return { origin, originOf: place === 'item' ? originOfItem : place === 'item.content.*' ? originOfPart : null };
}

function originOfItem(item: object): TextOrigin | null {
  const type = Reflect.get(item, 'type') == null ? 'message' : typeOf(item);
  if (type === null || !ITEM_TYPES.has(type)) return 'unknown';
  const role: unknown = Reflect.get(item, 'role');
  if (role != null && !SPEAKERS.has(role)) return 'unknown';
  return /_output$|^mcp_list_tools$/.test(type) ? 'tool' : null;
}

function originOfPart(part: object): TextOrigin | null {
  const type = typeOf(part) ?? '';
  if (SAID.has(type)) return null;
  return type === 'input_file' ? 'document' : 'unknown';
}
