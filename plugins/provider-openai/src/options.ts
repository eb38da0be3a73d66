import { connectionOptions, openAiAccountOptions, openAiTarget, type UpstreamTarget } from '@svc/toolkit/upstream';
import { type Static, Type } from 'typebox';
import { EXTENSIONS } from './chat/extensions.ts';
import { PRESET_NAMES, PRESETS, type Preset } from './presets.ts';

export const OpenAiOptions = Type.Object(
  {
    preset: Type.Optional(
      Type.Enum([...PRESET_NAMES], {
        description: 'Defaults for a server that differs from OpenAI: its URL, the header for the key, and fields it rejects.',
      }),
    ),
    base_url: Type.Optional(
      Type.String({
        description:
          'http or https URL without `/chat/completions`, `/responses` or `/embeddings`, such as `https://api.openai.com/v1`. Required unless the preset has one.',
      }),
    ),
    path: Type.Optional(
      Type.String({
        pattern: '^/[^?#]*$',
        description: 'Path to append to `base_url` instead of `/chat/completions` or `/responses`.',
      }),
    ),
    stream_options: Type.Optional(
      Type.Boolean({
        description:
          'Set to false for servers that reject `stream_options`: it is then not sent. Default: true, except with the preset `mistral`.',
      }),
    ),
    api: Type.Enum(['chat_completions', 'responses'], {
      default: 'chat_completions',
      description:
        "The API for chats: `/chat/completions`, or `/responses`, which keeps a model's encrypted reasoning between turns.",
    }),
    ...openAiAccountOptions,
    extensions: Type.Array(Type.Enum([...EXTENSIONS]), {
      default: [],
      uniqueItems: true,
      description:
        "Fields of Anthropic's Messages API that the server accepts. Others are not sent, and are recorded as unsupported.",
    }),
    ...connectionOptions,
  },
  { additionalProperties: false },
);
export type OpenAiOptions = Static<typeof OpenAiOptions>;

/** A server: the URLs of its APIs, and the parameters that it accepts. */
export interface OpenAiServer {
  /** The billing vendor. Each Azure account has a host of its own, so it is named here. */
  readonly vendor: string;
  readonly chat: UpstreamTarget;
  readonly embeddings: UpstreamTarget;
  readonly takesStreamOptions: boolean;
}

/** @throws {Error} with the key and the remedy, never with a value */
export function serverOf(options: OpenAiOptions): OpenAiServer {
  const preset: Preset = options.preset === undefined ? {} : PRESETS[options.preset];
  const account = { ...preset, ...options };
  const { base_url } = account;
  if (base_url === undefined)
    throw new Error('base_url: is missing; set the URL of the server, such as https://api.openai.com/v1');
  const path = options.path ?? (options.api === 'responses' ? '/responses' : '/chat/completions');
  return {
    vendor: options.preset === 'azure' ? 'azure' : base_url,
    chat: openAiTarget({ ...account, base_url }, path),
    embeddings: openAiTarget({ ...account, base_url }, '/embeddings'),
    takesStreamOptions: account.stream_options ?? true,
  };
}
