/** Every combination of one value for each key; `undefined` omits the key. */
export function mixes<T extends object>(values: { readonly [K in keyof T]-?: readonly (T[K] | undefined)[] }): Partial<T>[] {
  let all: Partial<T>[] = [{}];
  for (const key in values) {
    all = all.flatMap((mix) => values[key].map((value) => (value === undefined ? mix : { ...mix, [key]: value })));
  }
  return all;
}
