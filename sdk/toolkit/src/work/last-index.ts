/** The last index below `count` for which `holds` is true, by binary search; 0 if it is never true. It must not be true after an index for which it is false. */
export function lastIndexWhere(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  for (let high = count; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
