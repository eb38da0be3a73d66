import { Value } from 'typebox/value';
import { Options } from './options.ts';

/** Options with their defaults. */
export function optionsOf(given: Partial<Options> & Pick<Options, 'module' | 'pin'>): Options {
  return Value.Parse(Options, Value.Default(Options, given));
}
