import type { FieldTable, Place } from '@svc/contracts';
import { fieldTable } from '../../common/field-table.ts';
import { bytesOf, padding } from '../../common/opaque.ts';
import { unknownOrigin } from '../../common/origin.ts';
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
  if (own !== undefined) return { origin: null, ...own };
  if (INDEX.test(pattern)) return { isQuantity: true, origin: null };
  if (pattern.startsWith('response.')) return inAnswer(pattern.slice('response.'.length));
  const place = placeInItem(pattern);
  return place === null ? { origin: unknownOrigin(pattern) } : inAnswer(place);
});

const PLACES: Readonly<Record<string, string>> = {
  item: 'output.*',
  part: 'output.*.content.*',
  annotation: 'output.*.content.*.annotations.*',
};

function placeInItem(pattern: string): string | null {
  const [, name = '', rest = ''] = /^(item|part|annotation)(\..*)?$/.exec(pattern) ?? [];
  const place = PLACES[name];
  return place === undefined ? null : place + rest;
}
