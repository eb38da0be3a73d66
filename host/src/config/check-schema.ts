import { isObject } from '@svc/contracts';
import type { TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
import { Settings } from 'typebox/system';
import { Value } from 'typebox/value';
import { describeSchema } from './describe-schema.ts';
import type { Path } from './diagnostic.ts';
import { nearestName } from './nearest.ts';
import { isSecretText } from './secret-reference.ts';

/** TypeBox stops at 8 errors by default. */
const MAX_ERRORS = 1000;

interface SchemaProblem {
  readonly path: Path;
  readonly at: 'key' | 'value';
  readonly message: string;
  readonly expected?: string | undefined;
  readonly nearest?: string | undefined;
}

function pathOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function follow(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((node, part) => {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, part)) return undefined;
    return Object.entries(node).find(([key]) => key === String(part))?.[1];
  }, root);
}

function allErrors(schema: TSchema, value: unknown): TLocalizedValidationError[] {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: MAX_ERRORS });
  try {
    return Value.Errors(schema, value);
  } finally {
    Settings.Set({ maxErrors });
  }
}

/** Weights of the differences between a value and a variant. */
const OTHER_KIND = 1000;
const OTHER_CONSTANT = 100;

const isUnder = (path: string, parent: string) => path === parent || path.startsWith(`${parent}/`);

/**
 * The distance between a value and a variant of a union. It is largest if the kinds of value differ, smaller if only the discriminators differ, and otherwise
 * the number of errors.
 */
function farness(errors: readonly TLocalizedValidationError[], instancePath: string): number {
  return errors.reduce((sum, error) => {
    if (error.keyword === 'type' && error.instancePath === instancePath) return sum + OTHER_KIND;
    return sum + (error.keyword === 'const' ? OTHER_CONSTANT : 1);
  }, 0);
}

const isUnion = ({ keyword }: TLocalizedValidationError) => keyword === 'anyOf' || keyword === 'oneOf';

/**
 * The errors worth reporting. Errors at secret references are dropped. For a union, only the errors of the nearest variant are kept: none if that variant fits,
 * and a single one for the union if no variant has this discriminator.
 */
function relevantErrors(
  errors: readonly TLocalizedValidationError[],
  isReference: (instancePath: string) => boolean,
): TLocalizedValidationError[] {
  const isIn = (union: TLocalizedValidationError, error: TLocalizedValidationError) =>
    isUnder(error.schemaPath, `${union.schemaPath}/${union.keyword}`) && isUnder(error.instancePath, union.instancePath);
  const unions = errors.filter(isUnion);
  const outermost = unions.filter((union) => !unions.some((other) => isIn(other, union)));
  const rest = errors.filter((error) => !outermost.some((union) => union === error || isIn(union, error)));
  const chosen = outermost.flatMap((union) => {
    const inside = errors.filter((error) => isIn(union, error));
    const variants = Map.groupBy(inside, ({ schemaPath }) => schemaPath.slice(union.schemaPath.length).split('/')[2]);
    const left = [...variants.values()].map((variant) => relevantErrors(variant, isReference));
    const nearest = left.toSorted((a, b) => farness(a, union.instancePath) - farness(b, union.instancePath))[0];
    return nearest === undefined || farness(nearest, union.instancePath) >= OTHER_CONSTANT ? [union] : nearest;
  });
  return [...rest.filter(({ instancePath }) => !isReference(instancePath)), ...chosen];
}

function kindOf(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`;
}

function problemsOf(
  error: TLocalizedValidationError,
  root: TSchema,
  value: unknown,
  alsoKnown: readonly string[],
): SchemaProblem[] {
  const path = pathOf(error.instancePath);
  const schema = follow(root, pathOf(error.schemaPath));
  const keywords = isObject(schema) ? schema : {};
  const properties = isObject(keywords.properties) ? keywords.properties : {};
  const expected = describeSchema(schema);
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        path: [...path, name],
        at: 'value',
        message: 'missing',
        expected: describeSchema(properties[name]),
      }));
    case 'additionalProperties': {
      const known = [...Object.keys(properties), ...(path.length === 0 ? alsoKnown : [])];
      return error.params.additionalProperties.map((name) => {
        const nearest = nearestName(name, known);
        const expected = nearest === undefined && known.length > 0 ? `one of ${known.join(', ')}` : undefined;
        return { path: [...path, name], at: 'key', message: 'unknown key', expected, nearest };
      });
    }
    case 'propertyNames':
      return error.params.propertyNames.map((name) => ({
        path: [...path, name],
        at: 'key',
        message: 'this name is not allowed',
        expected: describeSchema(keywords.propertyNames),
      }));
    case 'enum': {
      const found = follow(value, path);
      const allowed = error.params.allowedValues.filter((item) => typeof item === 'string');
      return [
        {
          path,
          at: 'value',
          message: 'not allowed',
          expected,
          nearest: typeof found === 'string' ? nearestName(found, allowed) : undefined,
        },
      ];
    }
    case 'type':
      return [{ path, at: 'value', message: `wrong type: ${kindOf(follow(value, path))}`, expected }];
    case 'uniqueItems':
      return error.params.duplicateItems.map((index) => ({ path: [...path, index], at: 'value', message: 'listed twice' }));
    default:
      return [{ path, at: 'value', message: 'not allowed', expected }];
  }
}

/**
 * The schema errors of a value, without duplicates. A string with a secret reference is not checked here; its value is checked when it is resolved.
 * @param alsoKnown names that were removed from the value before, for guesses at the top level
 */
export function schemaProblems(schema: TSchema, value: unknown, alsoKnown: readonly string[] = []): SchemaProblem[] {
  const isReference = (instancePath: string) => {
    const found = follow(value, pathOf(instancePath));
    return typeof found === 'string' && isSecretText(found);
  };
  // Each of these only accompanies an error of the object that has the key.
  const errors = allErrors(schema, value).filter(
    ({ keyword, schemaPath }) => keyword !== 'boolean' && !schemaPath.endsWith('/propertyNames'),
  );
  return relevantErrors(errors, isReference).flatMap((error) => problemsOf(error, schema, value, alsoKnown));
}
