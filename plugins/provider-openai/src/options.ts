import { connectionOptions, openAiAccountOptions, openAiTarget, type UpstreamTarget } from '@svc/toolkit/upstream';
import { type Static, Type } from 'typebox';
import { EXTENSIONS } from './chat/extensions.ts';
import { PRESET_NAMES, PRESETS, type Preset } from './presets.ts';

export const OpenAiOptions = Type.Object(
  {
    preset: Type.Optional(
      Type.Enum([...PRESET_NAMES], {
        description: 'Defaults for a server that differs from OpenAI: address, header of the key, fields it refuses.',
      }),
    ),
    base_url: Type.Optional(
      Type.String({
        description:
          'http or https URL up to, without, `/chat/completions`, `/responses` or `/embeddings`: `https://api.openai.com/v1`. Required unless the preset has one.',
      }),
    ),
    path: Type.Optional(
      Type.String({ pattern: '^/[^?#]*$', description: 'In place of `/chat/completions` or `/responses`, after `base_url`.' }),
    ),
    stream_options: Type.Optional(
      Type.Boolean({
        description: 'false: `stream_options` is not sent, for servers that refuse it. Default: true, but for `mistral`.',
      }),
    ),
    api: Type.Enum(['chat_completions', 'responses'], {
      default: 'chat_completions',
      description:
        "How chats are asked: through `/chat/completions`, or `/responses`, which keeps a model's encrypted reasoning between turns.",
    }),
    ...openAiAccountOptions,
    extensions: Type.Array(Type.Enum([...EXTENSIONS]), {
      default: [],
      uniqueItems: true,
      description: "Fields of Anthropic's Messages API that the server takes; others are not sent, and recorded as unsupported.",
    }),
    ...connectionOptions,
  },
  { additionalProperties: false },
);
export type OpenAiOptions = Static<typeof OpenAiOptions>;

/** A server: where calls go, and what it takes. */
export interface OpenAiServer {
  /** Who bills it. Accounts of Azure have addresses of their own. */
  readonly vendor: string;
  readonly chat: UpstreamTarget;
  readonly embeddings: UpstreamTarget;
  readonly takesStreamOptions: boolean;
}

/** @throws {Error} naming the key and the remedy, never a value. */
export function serverOf(options: OpenAiOptions): OpenAiServer {
  const preset: Preset = options.preset === undefined ? {} : PRESETS[options.preset];
  const account = { ...preset, ...options };
  const { base_url } = account;
  if (base_url === undefined)
    throw new Error('base_url: is missing; give the address of the server, such as https://api.openai.com/v1');
  const path = options.path ?? (options.api === 'responses' ? '/responses' : '/chat/completions');
  return {
    vendor: options.preset === 'azure' ? 'azure' : base_url,
    chat: openAiTarget({ ...account, base_url }, path),
    embeddings: openAiTarget({ ...account, base_url }, '/embeddings'),
    takesStreamOptions: account.stream_options ?? true,
  };
}
