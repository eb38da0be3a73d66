/** The last index below `count` for which `holds` is true, or 0. A binary search, so `holds` must not be true after it was false. */
export function lastIndexWhere(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  for (let high = count; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
