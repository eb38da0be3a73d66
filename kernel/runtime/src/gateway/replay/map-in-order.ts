/** The results of work on items, in the order of the items. At most `at_once` items are in work. A failure ends it when its turn comes. */
export async function* mapInOrder<T, R>(items: readonly T[], at_once: number, work: (item: T) => Promise<R>): AsyncGenerator<R> {
  const begun: Promise<R>[] = [];
  const begin = (item: T): void => {
    const result = work(item);
    // Without a handler, a rejection before its turn would end the process.
    result.catch(() => undefined);
    begun.push(result);
  };
  for (const item of items) {
    if (begun.length === at_once) yield await (begun.shift() as Promise<R>);
    begin(item);
  }
  for (const result of begun) yield await result;
}
