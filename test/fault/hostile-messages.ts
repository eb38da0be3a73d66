import { type Choose, jsonOf, KINDS, repeated } from './hostile-values.ts';

/** A request or an answer designed to do harm. */
export interface HostileMessage {
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

const JSON_TYPE = 'application/json';
const EVENTS_TYPE = 'text/event-stream';

/** Just under the default limits of request and answer bodies. */
const BODY_BYTES = 4_100_000;
const ANSWER_BYTES = 16_500_000;
const SHARES = [0.01, 0.1, 0.5, 1];

/** Places of a value in a request. `text` is the value as a string. */
const IN_REQUEST: Readonly<Record<string, (value: string, text: string, size: number) => string>> = {
  content: (_value, text) => `"messages":[{"role":"user","content":${text}}]`,
  parts: (_value, text, size) =>
    `"messages":[{"role":"user","content":[${many(`{"type":"text","text":${short(text)}}`, size)}]}]`,
  messages: (_value, text, size) => `"messages":[${many(`{"role":"user","content":${short(text)}}`, size)}]`,
  'tool result': (_value, text) =>
    `"messages":[{"role":"user","content":"x"},{"role":"tool","tool_call_id":"a","content":${text}}]`,
  arguments: (_value, text) => `"messages":[${called(text)}]`,
  'many calls': (_value, text, size) =>
    `"messages":[{"role":"assistant","content":null,"tool_calls":[${many(call(short(text)), size)}]}]`,
  'content that is none': (value) => `"messages":[{"role":"user","content":${value}}]`,
  'unknown field': (value) => `"messages":[{"role":"user","content":"x"}],"x_field":${value}`,
  'unknown field of a message': (value) => `"messages":[{"role":"user","content":"x","x_field":${value}}]`,
  tools: (value) =>
    `"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":${value}}}]`,
  'many tools': (_value, text, size) =>
    `"messages":[{"role":"user","content":"x"}],"tools":[${many(`{"type":"function","function":{"name":${short(text)}}}`, size)}]`,
  metadata: (value) => `"messages":[{"role":"user","content":"x"}],"metadata":${value}`,
  'response format': (value) =>
    `"messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":${value}}`,
};

const IN_ANSWER: Readonly<Record<string, (value: string, text: string, size: number) => string>> = {
  content: (_value, text) => `"choices":[{"index":0,"message":{"role":"assistant","content":${text}},"finish_reason":"stop"}]`,
  arguments: (_value, text) => `"choices":[{"index":0,"message":${called(text)},"finish_reason":"tool_calls"}]`,
  'many calls': (_value, text, size) =>
    `"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[${many(call(short(text)), size)}]},"finish_reason":"tool_calls"}]`,
  'many choices': (_value, text, size) =>
    `"choices":[${many(`{"index":0,"message":{"role":"assistant","content":${short(text)}},"finish_reason":"stop"}`, size)}]`,
  'content that is none': (value) =>
    `"choices":[{"index":0,"message":{"role":"assistant","content":${value}},"finish_reason":"stop"}]`,
  'unknown field': (value) => `${PLAIN_CHOICE},"x_field":${value}`,
  'unknown field of a message': (value) =>
    `"choices":[{"index":0,"message":{"role":"assistant","content":"x","x_field":${value}},"finish_reason":"stop"}]`,
  logprobs: (value) =>
    `"choices":[{"index":0,"message":{"role":"assistant","content":"x"},"logprobs":${value},"finish_reason":"stop"}]`,
  usage: (value) => `${PLAIN_CHOICE},"usage":${value}`,
  choices: (value) => `"choices":${value}`,
};

const PLAIN_CHOICE = '"choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}]';

/** Streams, by the deltas in their events. */
const IN_STREAM: Readonly<Record<string, (value: string, text: string, size: number) => string>> = {
  'tiny events': (_value, _text, size) => repeated(event('{"content":"a"}'), size),
  'empty events': (_value, _text, size) => repeated(event('{}'), size),
  'events without choices': (_value, text, size) => repeated(`data: {"choices":[],"x_field":${short(text)}}\n\n`, size),
  comments: (_value, _text, size) => repeated(': x\n', size),
  'one huge event': (_value, text) => event(`{"content":${text}}`),
  'an event that never ends': (_value, _text, size) => `data: ${repeated('a', size)}`,
  'an event of many lines': (_value, _text, size) => repeated('data: 1\n', size),
  'events of text': (_value, text, size) => repeated(event(`{"content":${short(text)}}`), size),
  'pieces of arguments': (_value, text, size) =>
    repeated(
      event(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":${short(text)}}}]}`),
      size,
    ),
  'calls of many indexes': (_value, _text, size) =>
    Array.from({ length: Math.min(50_000, Math.floor(size / 300)) }, (_, n) =>
      event(`{"tool_calls":[{"index":${n},"id":"a","type":"function","function":{"name":"f","arguments":"[1]"}}]}`),
    ).join(''),
  'arguments in one event': (_value, text) =>
    event(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":${text}}}]}`),
  'unknown field': (value) => event(`{"content":"x","x_field":${value}}`),
  'value as event': (value) => `data: ${value}\n\n`,
};

export const ROUTES = ['default', 'open', 'schema', 'tree'] as const;

/** A request whose values, places and endpoint depend on a seed. */
export function hostileRequest(choose: Choose): HostileMessage {
  const { place, kind, size, inside } = built(IN_REQUEST, 'request', BODY_BYTES, choose);
  const route = choose('route', ROUTES);
  const whole = choose('whole', [false, false, false, false, false, false, false, true]);
  const path = choose('path', ['/v1/chat/completions', '/v1/chat/completions', '/v1/runs']);
  const named = path === '/v1/runs' ? `"route":"${route}"` : `"model":"${route}","stream":${choose('stream', [true, false])}`;
  const text = whole ? jsonOf('value', size, choose) : `{${named},${inside}}`;
  return { name: `request of ${size} bytes to ${route}: ${kind} as ${whole ? 'body' : place}`, path, type: JSON_TYPE, text };
}

/** A whole or streamed answer of a model server. */
export function hostileAnswer(choose: Choose, streamed: boolean): HostileMessage {
  const places = streamed ? IN_STREAM : IN_ANSWER;
  const { place, kind, size, inside } = built(places, 'answer', ANSWER_BYTES, choose);
  const whole = `{"id":"a","object":"chat.completion","created":1,"model":"m",${inside}}`;
  const name = `${streamed ? 'streamed' : 'whole'} answer of ${size} bytes: ${kind} as ${place}`;
  return streamed
    ? { name, path: '', type: EVENTS_TYPE, text: `${inside}${LAST_EVENTS}` }
    : { name, path: '', type: JSON_TYPE, text: whole };
}

const LAST_EVENTS = '\n\ndata: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

type Places = Readonly<Record<string, (value: string, text: string, size: number) => string>>;

function built(places: Places, purpose: string, bytes: number, choose: Choose) {
  const place = choose(`${purpose} place`, Object.keys(places));
  const kind = choose('value', KINDS);
  const share = choose(`${purpose} share`, SHARES);
  const size = Math.floor(bytes * share);
  // Escaping makes the string longer than the value.
  const value = jsonOf('value', size, choose);
  const quoted = value.startsWith('"') ? value : JSON.stringify(value);
  const text = quoted.length > bytes ? JSON.stringify(jsonOf('value', size / 4, choose)) : quoted;
  return { place, kind, size, inside: places[place]?.(value, text, size) ?? '' };
}

/** The beginning of a string too long to be repeated often. */
function short(text: string): string {
  const begin = text.slice(0, 200).replace(/\\[^"]{0,11}$/, '');
  return text.length <= 200 ? text : `${begin.replace(/\\+$/, '')}"`;
}

function many(piece: string, size: number): string {
  return `${repeated(`${piece},`, size)}${piece}`;
}

function call(text: string): string {
  return `{"id":"a","type":"function","function":{"name":"f","arguments":${text}}}`;
}

function called(text: string): string {
  return `{"role":"assistant","content":null,"tool_calls":[${call(text)}]}`;
}

function event(delta: string): string {
  return `data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":${delta},"finish_reason":null}]}\n\n`;
}
