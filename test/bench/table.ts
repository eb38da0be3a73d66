/** A text table. The first column is left-aligned, figures are right-aligned. Each row has a cell per heading. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const shown = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [shown(headings), rule, ...rows.map(shown)].join('\n');
}

/** Whole numbers get thousands separators, small ones three digits. `–` is an unknown value. */
export function figure(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return '–';
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : 2);
}
