import { NAMESPACE_PATTERN } from '@svc/contracts';
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

export const NODE_NAME = { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$', title: 'up to 64 letters, digits or any of . _ -' };

export const PRINCIPAL = { pattern: '^[A-Za-z0-9._@:+-]{1,128}$', title: '1 to 128 letters, digits or any of . _ @ : + -' };

/** Retrieval namespaces that a caller may use. */
export const RagNamespace = Type.String({
  pattern: NAMESPACE_PATTERN.replace('$', '\\*?$'),
  title: 'the name of a namespace, or a prefix of names with a trailing *',
});
