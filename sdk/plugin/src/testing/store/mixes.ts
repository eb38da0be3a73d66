/** Every mix of one value of each key; `undefined` leaves the key out. */
export function mixes<T extends object>(values: { readonly [K in keyof T]-?: readonly (T[K] | undefined)[] }): Partial<T>[] {
  let all: Partial<T>[] = [{}];
  for (const key in values) {
    all = all.flatMap((mix) => values[key].map((value) => (value === undefined ? mix : { ...mix, [key]: value })));
  }
  return all;
}
