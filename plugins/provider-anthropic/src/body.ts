import type { RequestBody } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';
import type { AnthropicOptions } from './options.ts';

type LeftOut = AnthropicOptions['leave_out'][number];

/** Parameters that the API has as members of `output_config`. */
const IN_OUTPUT: Partial<Record<LeftOut, string>> = { reasoning_effort: 'effort', response_format: 'format' };

/** A request as it is sent: with the limit that the API needs, and without what its models refuse. `unsupported`: names of that. */
export function bodyOf(
  { anthropic_beta: _, stream: __, ...request }: RequestBody,
  { max_tokens, leave_out }: Pick<AnthropicOptions, 'max_tokens' | 'leave_out'>,
): { body: RequestBody; unsupported: string[] } {
  const body: RequestBody = request.max_tokens == null ? { ...request, max_tokens } : request;
  const unsupported = leave_out.filter((name) => leavesOut(body, name));
  return { body, unsupported };
}

/** Takes a parameter out; false where it is not there. */
function leavesOut(body: RequestBody, name: LeftOut): boolean {
  const member = IN_OUTPUT[name];
  if (member === undefined) {
    if (body[name] == null) return false;
    return Reflect.deleteProperty(body, name);
  }
  const { output_config: config } = body;
  if (!isObject(config) || config[member] == null) return false;
  const { [member]: _, ...rest } = config;
  if (Object.keys(rest).length === 0) Reflect.deleteProperty(body, 'output_config');
  else body.output_config = rest;
  return true;
}
