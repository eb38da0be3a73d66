interface Post {
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly max_bytes: number;
}

/**
 * Posts a body, follows no redirect, and reads a response of limited length.
 * @throws with the code of the connection's failure, such as ECONNREFUSED, or RESPONSE_TOO_LARGE
 */
export async function post(
  send: typeof fetch,
  url: string | URL,
  { body, headers = {}, signal, max_bytes }: Post,
): Promise<{ readonly status: number; readonly bytes: Uint8Array }> {
  const sent = typeof body === 'string' ? body : Uint8Array.from(body);
  const response = await send(url, { method: 'POST', body: sent, headers, redirect: 'manual', signal }).catch(
    (error: unknown) => {
      throw Object.assign(new Error('no response'), { code: codeOf(error) });
    },
  );
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    length += part.length;
    if (length > max_bytes) throw Object.assign(new Error('too long'), { code: 'RESPONSE_TOO_LARGE' });
  }
  return { status: response.status, bytes: Buffer.concat(parts) };
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : null;
  return typeof code === 'string' ? code : 'UNREACHABLE';
}
