/** The target of the link to the next page of a list, or null: this is the last page. */
export function nextPage(headers: Headers): string | null {
  return /<([^>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null;
}
