import { EventStreamCodec } from '@smithy/eventstream-codec';
import { ARGUMENTS, bytes, json, MARKER, TEXT, THOUGHT, type Vendor } from './vendor.ts';

const codec = new EventStreamCodec(
  (input) => (typeof input === 'string' ? input : Buffer.from(input).toString('utf8')),
  (text) => new Uint8Array(Buffer.from(text, 'utf8')),
);

/** Event stream encoding: https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html */
function frame(type: string, payload: object, kind: 'event' | 'exception' = 'event'): Uint8Array {
  return codec.encode({
    headers: {
      [`:${kind}-type`]: { type: 'string', value: type },
      ':content-type': { type: 'string', value: 'application/json' },
      ':message-type': { type: 'string', value: kind },
    },
    body: new TextEncoder().encode(JSON.stringify(payload)),
  });
}

function stream(frames: readonly Uint8Array[], ends = true) {
  return bytes('application/vnd.amazon.eventstream', frames, ends);
}

const usage = { inputTokens: 12, outputTokens: 5, totalTokens: 17, cacheReadInputTokens: 0, cacheWriteInputTokens: 0 };

function message(content: object[], stopReason: string): object {
  return { output: { message: { role: 'assistant', content } }, stopReason, usage, metrics: { latencyMs: 5 } };
}

const delta = (contentBlockIndex: number, piece: object) => frame('contentBlockDelta', { contentBlockIndex, delta: piece });
const stop = (contentBlockIndex: number) => frame('contentBlockStop', { contentBlockIndex });
const end = (stopReason: string) => [
  frame('messageStop', { stopReason }),
  frame('metadata', { usage, metrics: { latencyMs: 5 } }),
];
const begun = [
  frame('messageStart', { role: 'assistant' }),
  delta(0, { reasoningContent: { text: THOUGHT } }),
  delta(0, { reasoningContent: { signature: 'c2ln' } }),
  stop(0),
];
const [opened = '', closed = ''] = ['{"to":"Ann",', '"amount":12}'];
const model = 'anthropic.claude-sonnet-4-5-20250929-v1:0';

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html and …/API_runtime_ConverseStream.html */
export const bedrock: Vendor = {
  package: '@ai-sdk/amazon-bedrock',
  model,
  settings: (url) => ({ baseURL: url, region: 'eu-west-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'aws-secret' }),
  authorization:
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$/,
  paths: {
    whole: `/model/${encodeURIComponent(model)}/converse`,
    streamed: `/model/${encodeURIComponent(model)}/converse-stream`,
  },
  whole: json(
    message([{ reasoningContent: { reasoningText: { text: THOUGHT, signature: 'c2ln' } } }, { text: TEXT }], 'end_turn'),
  ),
  streamed: stream([
    ...begun,
    delta(1, { text: TEXT.slice(0, 6) }),
    delta(1, { text: TEXT.slice(6) }),
    stop(1),
    ...end('end_turn'),
  ]),
  wholeCall: json(message([{ toolUse: { toolUseId: 'pay_1', name: 'pay', input: ARGUMENTS } }], 'tool_use')),
  streamedCall: stream([
    frame('messageStart', { role: 'assistant' }),
    frame('contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: 'pay_1', name: 'pay' } } }),
    delta(0, { toolUse: { input: opened } }),
    delta(0, { toolUse: { input: closed } }),
    stop(0),
    ...end('tool_use'),
  ]),
  refusal: json({ message: `Too many requests ${MARKER}` }, 429, {
    'retry-after': '7',
    'x-amzn-errortype': 'ThrottlingException',
  }),
  failingStream: stream([...begun, frame('throttlingException', { message: MARKER }, 'exception')]),
  failure: { kind: 'rate_limited', status: 429 },
  openStream: stream([...begun, delta(1, { text: 'Two ' })], false),
  cutStream: stream([...begun, delta(1, { text: 'Two ' })]),
  toolRequest: {
    toolConfig: { tools: [{ toolSpec: { name: 'pay', inputSchema: { json: { type: 'object' } } } }] },
    messages: [
      { role: 'user', content: [{ text: 'Pay Ann.' }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'pay_1', name: 'pay', input: ARGUMENTS } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 'pay_1', content: [{ text: 'paid' }] } }] },
    ],
  },
};
