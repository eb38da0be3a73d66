/** JSON Schemas, checked in linear time or not at all. */
export { mismatchesIn } from './mismatches-in.ts';
export { type Mismatch, validate } from './validate.ts';
export { compileSchema, type Validator } from './validator.ts';
