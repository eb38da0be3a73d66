import type { Place, TextOrigin } from '@svc/contracts';
import { typeOf, unknownOrigin } from '../common/origin.ts';
import { words } from '../common/words.ts';

const TURN = /^(?:messages\.\*|choices\.\*(?:\.message)?)(?:\.|$)/;
const PART = /^(?:messages\.\*|choices\.\*\.message)\.content\.\*$/;
/** What a vendor's search found: Azure's `context`, and citations. */
const CITED =
  /^(?:(?:messages\.\*|choices\.\*\.message)\.(?:annotations|context|citations|search_results)|citations|search_results)(?:\.|$)/;
/** What a vendor's own tools were asked and returned. */
const RETURNED = /^(?:messages\.\*|choices\.\*\.message)\.executed_tools(?:\.|$)/;
const SAID = words('text refusal image_url input_audio');

/** Where the texts of a place come from. */
export function originAt(pattern: string): Pick<Place, 'origin' | 'originOf'> {
  const unknown = unknownOrigin(pattern, TURN);
  const origin = unknown ?? (RETURNED.test(pattern) ? 'tool' : CITED.test(pattern) ? 'document' : null);
  return { origin, originOf: PART.test(pattern) ? originOfPart : null };
}

function originOfPart(part: object): TextOrigin | null {
  const type = typeOf(part) ?? '';
  if (SAID.has(type)) return null;
  return type === 'file' ? 'document' : 'unknown';
}
