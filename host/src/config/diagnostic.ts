/**
 * The kind of a fault: 001 the file does not match the schema, 002 a reference is unknown, 003 a budget is not in both stages, 004 a guard does not
 * support the stage, 005 an endpoint's region is not in the declared residency, 006 an exporter's type is not installed, 007 a plugin cannot be used,
 * 008 secrets, 009 advice, 010 a guard cannot work for an endpoint, 011 a namespace is reserved for other routes, 012 a running server cannot change
 * a section, 013 a model has no price, 014 the review of a route is overdue.
 */
export type PolicyCode = `SVC-POL-00${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}` | `SVC-POL-01${0 | 1 | 2 | 3 | 4}`;

/** Keys and list indexes from the root of the file. */
export type Path = readonly (string | number)[];

/** A finding in a configuration. Never contains a value that may be a secret. */
export interface Diagnostic {
  readonly code: PolicyCode;
  readonly severity: 'error' | 'warning';
  readonly file: string;
  /** Both are counted from 1. */
  readonly line: number;
  readonly column: number;
  /** The keys, joined by dots, such as `routes.default.provider`. Empty for the whole file. */
  readonly path: string;
  readonly message: string;
  readonly expected?: string;
  /** The known name that was probably meant. */
  readonly nearest?: string;
}

/** A diagnostic as another release may have written it. */
export type ForeignDiagnostic = Omit<Diagnostic, 'code'> & { readonly code: string };

/** A diagnostic as one line for people. */
export function formatDiagnostic(diagnostic: ForeignDiagnostic): string {
  const { file, line, column, severity, code, path, message, expected, nearest } = diagnostic;
  const where = path === '' ? '' : `${path}: `;
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return `${file}:${line}:${column}: ${severity} ${code} ${where}${message}${expected === undefined ? '' : `, expected ${expected}`}${hint}`;
}
