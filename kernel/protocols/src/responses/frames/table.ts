import type { FieldTable, Place } from '@svc/contracts';
import { fieldTable } from '../../common/field-table.ts';
import { bytesOf, padding } from '../../common/opaque.ts';
import { RESPONSES_NAMES } from '../../names/responses.ts';
import { inAnswer } from '../tables.ts';
import { EVENT_TYPES } from './events.ts';

const OWN: Readonly<Record<string, Partial<Place>>> = {
  type: { vocabulary: EVENT_TYPES },
  sequence_number: { isOwn: true },
  // A bridge writes it.
  'svc_left_out.*': { isOwn: true },
  item_id: { idKind: 'other' },
  obfuscation: { opaqueKind: padding },
  partial_image_b64: { opaqueKind: bytesOf('image') },
  arguments: { isToolArguments: true },
  input: { json: 'anyone' },
};
const INDEX = /^(output|content|summary|annotation|command|partial_image)_index$/;

/** A frame. Where it contains parts of an answer, the fields mean the same as in an answer. */
export const RESPONSES_FRAME: FieldTable = fieldTable('', RESPONSES_NAMES, (pattern) => {
  const own = OWN[pattern];
  if (own !== undefined) return own;
  if (INDEX.test(pattern)) return { isQuantity: true };
  if (pattern.startsWith('response.')) return inAnswer(pattern.slice('response.'.length));
  const place = placeInItem(pattern);
  return place === null ? {} : inAnswer(place);
});

function placeInItem(pattern: string): string | null {
  if (pattern.startsWith('item.')) return `output.*.${pattern.slice('item.'.length)}`;
  if (pattern.startsWith('part.')) return `output.*.content.*.${pattern.slice('part.'.length)}`;
  return pattern.startsWith('annotation.') ? `output.*.content.*.annotations.*.${pattern.slice('annotation.'.length)}` : null;
}
