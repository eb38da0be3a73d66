import { type TObjectOptions, type TProperties, Type } from 'typebox';
import { DURATION_PATTERN } from './duration.ts';

/** An object with these keys and no others. */
export const closed = <P extends TProperties>(properties: P, options: TObjectOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

export const duration = (description: string, byDefault: string) =>
  Type.String({
    pattern: DURATION_PATTERN,
    title: 'a whole number with s, m, h or d, such as 30d',
    default: byDefault,
    description,
  });
