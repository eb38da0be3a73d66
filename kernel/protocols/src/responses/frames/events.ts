import { words } from '../../common/words.ts';

/** The types of events that every stream has. */
const STEPS = `created queued in_progress completed incomplete failed output_item.added output_item.done content_part.added content_part.done
  reasoning_summary_part.added reasoning_summary_part.done output_text.annotation.added compaction.compacting
  image_generation_call.in_progress image_generation_call.generating image_generation_call.partial_image image_generation_call.completed
  web_search_call.in_progress web_search_call.searching web_search_call.completed
  file_search_call.in_progress file_search_call.searching file_search_call.completed
  code_interpreter_call.in_progress code_interpreter_call.interpreting code_interpreter_call.completed
  mcp_call.in_progress mcp_call.completed mcp_call.failed mcp_list_tools.in_progress mcp_list_tools.completed mcp_list_tools.failed
  shell_call_command.added`;

/** Texts that arrive in pieces, each with `.delta` and `.done` events. */
const TEXTS = `output_text refusal reasoning_text reasoning_summary_text function_call_arguments custom_tool_call_input mcp_call_arguments
  code_interpreter_call_code shell_call_command shell_call_output_content audio audio.transcript`;

export const EVENT_TYPES: ReadonlySet<string> = new Set([
  'error',
  'keepalive',
  ...[...words(STEPS)].map((name) => `response.${name}`),
  ...[...words(TEXTS)].flatMap((name) => [`response.${name}.delta`, `response.${name}.done`]),
]);

/** Where an item contains the text of an event: the list, and the field of the list's entries. */
export interface TextForm {
  readonly list: 'content' | 'summary';
  readonly index: 'content_index' | 'summary_index';
  readonly field: 'text' | 'refusal';
  /** The type of its events, without `.delta` or `.done`. */
  readonly events: string;
}

const form = (events: string, list: TextForm['list'], field: TextForm['field']): TextForm => ({
  list,
  index: list === 'content' ? 'content_index' : 'summary_index',
  field,
  events: `response.${events}`,
});

const FORMS: readonly TextForm[] = [
  form('output_text', 'content', 'text'),
  form('refusal', 'content', 'refusal'),
  form('reasoning_text', 'content', 'text'),
  form('reasoning_summary_text', 'summary', 'text'),
];

/** The forms by type of part. */
const OF_PARTS: ReadonlyMap<unknown, TextForm> = new Map(
  ['output_text', 'refusal', 'reasoning_text', 'summary_text'].map((type, at) => [type, FORMS[at] as TextForm]),
);

/** Undefined if parts of this type are not streamed as text. */
export function formOfPart(type: unknown): TextForm | undefined {
  return OF_PARTS.get(type);
}

/** @param type an event type such as `response.output_text.delta` */
export function formOfEvent(type: unknown, ending: '.delta' | '.done'): TextForm | undefined {
  return FORMS.find(({ events }) => type === events + ending);
}

/** Pieces of calls. Such an event is valid only within its item. */
export const CALL_PIECES: ReadonlySet<unknown> = new Set([
  'response.function_call_arguments.delta',
  'response.custom_tool_call_input.delta',
]);

/** Items whose text is streamed. Guards check all others as a whole. */
export const FLOWING: ReadonlySet<unknown> = new Set(['message', 'reasoning']);
