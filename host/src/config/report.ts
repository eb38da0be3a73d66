import type { Diagnostic, Path, PolicyCode } from './diagnostic.ts';

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Position of a key or its value. If that is missing, the position of the nearest enclosing value. */
export type Locate = (path: Path, at: 'key' | 'value') => Position;

interface FindingDetails {
  /** What the position points at. Default: `value`. */
  readonly at?: 'key' | 'value';
  readonly expected?: string | undefined;
  readonly nearest?: string | undefined;
  /** The position, if it does not follow from the path. */
  readonly position?: Position;
}

/** Collects the findings in one file. */
export class Report {
  readonly #file: string;
  readonly #locate: Locate;
  readonly #found: Diagnostic[] = [];

  constructor(file: string, locate: Locate) {
    this.#file = file;
    this.#locate = locate;
  }

  error(code: PolicyCode, path: Path, message: string, details: FindingDetails = {}): void {
    this.#add('error', code, path, message, details);
  }

  warning(code: PolicyCode, path: Path, message: string, details: FindingDetails = {}): void {
    this.#add('warning', code, path, message, details);
  }

  get failed(): boolean {
    return this.#found.some(({ severity }) => severity === 'error');
  }

  /** In the order of the file. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#found.toSorted((a, b) => a.line - b.line || a.column - b.column);
  }

  #add(severity: Diagnostic['severity'], code: PolicyCode, path: Path, message: string, details: FindingDetails): void {
    const { at = 'value', expected, nearest, position = this.#locate(path, at) } = details;
    this.#found.push({
      code,
      severity,
      file: this.#file,
      line: position.line,
      column: position.column,
      path: path.join('.'),
      message,
      ...(expected === undefined ? {} : { expected }),
      ...(nearest === undefined ? {} : { nearest }),
    });
  }
}
