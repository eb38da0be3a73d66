import { type CallContext, type ChatRequest, ProviderError } from '@svc/sdk';

export interface ModelServer {
  readonly url: string;
  readonly api_key?: string;
}

export interface Reply {
  readonly text: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** Calls the server once. Do not retry: the gateway has fallbacks. Errors must not contain text of the server, which may quote the caller. */
export async function ask(
  { url, api_key }: ModelServer,
  { model, messages }: ChatRequest,
  context: CallContext,
  fetch: typeof globalThis.fetch,
): Promise<Reply> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(api_key !== undefined && { authorization: `Bearer ${api_key}` }) },
      body: JSON.stringify({ model, messages }),
      redirect: 'error',
      signal: context.signal,
    });
    if (!response.ok) throw refusal(response.status);
    return replyIn(await textOf(response, context));
  } catch (error) {
    if (context.signal.aborted) throw new ProviderError('aborted');
    throw error instanceof ProviderError ? error : new ProviderError('unavailable', { cause: error });
  } finally {
    context.onBuffered?.(0);
  }
}

/** Reports buffered bytes to the gateway, which limits the memory of all answers together. */
async function textOf({ body }: Response, { onBuffered }: CallContext): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    bytes += part.byteLength;
    onBuffered?.(bytes);
  }
  return Buffer.concat(parts).toString();
}

function replyIn(text: string): Reply {
  const reply: unknown = parsed(text);
  if (typeof reply !== 'object' || reply === null) throw new ProviderError('malformed');
  const { text: said, input_tokens, output_tokens }: Partial<Record<keyof Reply, unknown>> = reply;
  if (typeof said !== 'string' || !isCount(input_tokens) || !isCount(output_tokens)) throw new ProviderError('malformed');
  return { text: said.toWellFormed(), input_tokens, output_tokens };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProviderError('malformed');
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function refusal(status: number): ProviderError {
  if (status === 429) return new ProviderError('rate_limited', { status });
  if (status >= 500) return new ProviderError('unavailable', { status });
  return new ProviderError([401, 403, 404].includes(status) ? 'configuration' : 'invalid_request', { status });
}
