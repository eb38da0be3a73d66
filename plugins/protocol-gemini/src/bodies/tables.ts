import { type FieldTable, fieldTable } from '@svc/sdk/protocol';
import { NAMES } from './names.ts';
import { placeOf } from './places.ts';

export const REQUEST: FieldTable = fieldTable('contents', NAMES, (pattern) => placeOf('request', pattern));
export const ANSWER: FieldTable = fieldTable('candidates', NAMES, (pattern) => placeOf('answer', pattern));
