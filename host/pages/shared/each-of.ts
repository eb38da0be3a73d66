/** Works on all items in order, on at most `at_once` of them at a time. `work` must not reject. */
export async function eachOf<T>(items: Iterable<T>, at_once: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  const workOff = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: at_once }, workOff));
}
