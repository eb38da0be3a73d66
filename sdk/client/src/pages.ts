import type { Call, CallOptions, Transport } from './transport.ts';

const NEXT = /<([^>]*)>\s*;\s*rel="?next"?/;

/** The query of the next page, from the `Link` header. The rest of the link is ignored, so that the key is always sent to the same host. */
function nextQuery(response: Response): Record<string, string> | null {
  const target = NEXT.exec(response.headers.get('link') ?? '')?.[1];
  if (target === undefined) return null;
  return Object.fromEntries(new URL(target, 'http://gateway').searchParams);
}

interface Page<T> {
  readonly items: readonly T[];
  readonly next: Record<string, string> | null;
}

/** Every item of a list. Pages are fetched as needed. */
export async function* itemsOf<T>(
  transport: Transport,
  call: Call,
  options: CallOptions,
  items: (page: unknown) => readonly T[],
): AsyncGenerator<T, void> {
  for (let query: NonNullable<Call['query']> | null = call.query ?? {}; query !== null; ) {
    const page: Page<T> = await transport.read({ ...call, query }, options, async (response) => ({
      items: items(await response.json()),
      next: nextQuery(response),
    }));
    yield* page.items;
    query = page.next;
  }
}
