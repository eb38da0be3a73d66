import { type ForeignDiagnostic, formatDiagnostic } from '../config/index.ts';
import { printable, styled } from '../terminal/terminal.ts';

/** A diagnostic in one line, with its severity in colour. */
export function diagnosticLine(diagnostic: ForeignDiagnostic, stream?: NodeJS.WriteStream): string {
  const { severity, code } = diagnostic;
  const kind = `${severity} ${code}`;
  return printable(formatDiagnostic(diagnostic)).replace(kind, () =>
    styled(severity === 'error' ? 'red' : 'yellow', kind, stream),
  );
}
