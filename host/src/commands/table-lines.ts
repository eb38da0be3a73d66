import { styled } from '../terminal/terminal.ts';

/** A table with aligned columns. The first row has the titles. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))) ?? [];
  return rows.map((cells, n) => {
    const line = cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
    return n === 0 ? styled('bold', line) : line;
  });
}
