import type { ResponseItem, UpstreamResponse } from './response.ts';

/** An event of a streamed response, without its number. `type` is also its SSE event name. */
export interface ResponseEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

type Part = Readonly<Record<string, unknown>>;

const piecesOf = (text: unknown): string[] => (typeof text === 'string' ? text : '').match(/.{1,8}/gsu) ?? [];
const partsIn = (value: unknown): readonly Part[] => (Array.isArray(value) ? value : []);

/** The events of a streamed text: its deltas and its end. */
function growth(events: string, field: string, text: unknown, at: object): ResponseEvent[] {
  const deltas = piecesOf(text).map((delta) => ({ type: `${events}.delta`, ...at, delta }));
  return [...deltas, { type: `${events}.done`, ...at, [field]: text }];
}

function partEvents(part: Part, at: object): ResponseEvent[] {
  const { type, text, refusal, annotations } = part;
  const isText = type === 'output_text';
  const cited = partsIn(annotations).map((annotation, annotation_index) => ({
    type: 'response.output_text.annotation.added',
    ...at,
    annotation_index,
    annotation,
  }));
  const grown = isText ? growth('response.output_text', 'text', text, at) : growth('response.refusal', 'refusal', refusal, at);
  const empty = isText ? { ...part, text: '', annotations: [] } : { ...part, refusal: '' };
  return [
    { type: 'response.content_part.added', ...at, part: empty },
    ...grown.slice(0, -1),
    ...cited,
    ...grown.slice(-1),
    { type: 'response.content_part.done', ...at, part },
  ];
}

/** An item as it is first added, and the events that fill it. */
function growthOf(item: ResponseItem, at: object): { empty: ResponseItem; events: ResponseEvent[] } {
  switch (item.type) {
    case 'message': {
      const events = partsIn(item.content).flatMap((part, content_index) => partEvents(part, { ...at, content_index }));
      return { empty: { ...item, status: 'in_progress', content: [] }, events };
    }
    case 'reasoning': {
      const events = partsIn(item.summary).flatMap((part, summary_index): ResponseEvent[] => [
        { type: 'response.reasoning_summary_part.added', ...at, summary_index, part: { ...part, text: '' } },
        ...growth('response.reasoning_summary_text', 'text', part.text, { ...at, summary_index }),
        { type: 'response.reasoning_summary_part.done', ...at, summary_index, part },
      ]);
      return { empty: { ...item, summary: [] }, events };
    }
    case 'function_call':
      return {
        empty: { ...item, arguments: '' },
        events: growth('response.function_call_arguments', 'arguments', item.arguments, at),
      };
    case 'custom_tool_call':
      return { empty: { ...item, input: '' }, events: growth('response.custom_tool_call_input', 'input', item.input, at) };
    default:
      return { empty: item, events: [] };
  }
}

function itemEvents(item: ResponseItem, output_index: number): ResponseEvent[] {
  const { empty, events } = growthOf(item, { item_id: item.id, output_index });
  return [
    { type: 'response.output_item.added', output_index, item: empty },
    ...events,
    { type: 'response.output_item.done', output_index, item },
  ];
}

/** A response as the API streams it, each text in small deltas. */
export function eventsOf(response: UpstreamResponse): ResponseEvent[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null, error: null, incomplete_details: null };
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...response.output.flatMap(itemEvents),
    { type: `response.${response.status}`, response },
  ];
}
