import { isObject, type JsonObject } from '@svc/contracts';
import { printable, styled } from '../../terminal/terminal.ts';

type Style = Parameters<typeof styled>[0];

const LEVEL_STYLES: Readonly<Record<string, Style>> = { debug: 'dim', info: 'green', warn: 'yellow', error: 'red', fatal: 'red' };
const OUTCOME_STYLES: Readonly<Record<string, Style>> = {
  completed: 'green',
  paused: 'yellow',
  blocked: 'red',
  denied: 'red',
  error: 'red',
};
/** Widths of columns that keep requests aligned. A longer value moves the rest of its line. */
const METHOD = 'DELETE'.length;
const PATH = '/v1/chat/completions'.length;
const ROUTE = 16;
const OUTCOME = 'completed'.length;
const DURATION = '1234 ms'.length;
const TOKENS = '1234 → 5678 tokens'.length;
/** A longer value is cut, so that a line stays readable. A digest fits. */
const MAX_VALUE = 72;

/**
 * A JSON line of the log as a line for people, with the time of the machine's zone. Requests have columns; other events have their fields as `key=value`.
 * Texts from outside are escaped. Colours are those of stdout.
 */
export function prettyLine(json: string): string {
  const line: unknown = JSON.parse(json);
  if (!isObject(line)) return json;
  const { level, time, event, pid, ...rest } = line;
  const start = styled('dim', clockTime(String(time)));
  const process = pid === undefined ? '' : styled('dim', `  pid ${String(pid)}`);
  if (event === 'request') return `${start}  ${requestColumns(rest, String(level))}${process}\n`;
  const name = String(level).toUpperCase().padEnd('ERROR'.length);
  return `${start}  ${styled(LEVEL_STYLES[String(level)] ?? 'bold', name)}  ${eventText(event, rest)}${process}\n`;
}

function clockTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return '--:--:--';
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

function requestColumns(fields: JsonObject, level: string): string {
  const { method, path, route, outcome, status, duration_ms, run_id, input_tokens, output_tokens } = fields;
  const columns = [
    column(method, METHOD),
    column(path ?? '(unknown path)', PATH),
    column(route, ROUTE),
    styled(OUTCOME_STYLES[String(outcome)] ?? 'dim', column(outcome, OUTCOME)),
    // The caller disconnected before there was a status.
    status === null ? styled('yellow', 'gone') : styled(statusStyle(Number(status)), `${String(status)} `),
    durationOf(Number(duration_ms)).padStart(DURATION),
    (input_tokens === undefined ? '' : `${String(input_tokens)} → ${String(output_tokens)} tokens`).padEnd(TOKENS),
    ...(typeof run_id === 'string' ? [styled('dim', `run ${printable(run_id)}`)] : []),
  ];
  const text = columns.join('  ').trimEnd();
  return level === 'debug' ? styled('dim', text) : text;
}

function column(value: unknown, width: number): string {
  return (typeof value === 'string' ? printable(value) : '-').padEnd(width);
}

function statusStyle(status: number): Style {
  if (status < 400) return 'green';
  return status < 500 ? 'yellow' : 'red';
}

function durationOf(ms: number): string {
  return ms < 10_000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** The event, its message, and the fields that the message does not contain. */
function eventText(event: unknown, { msg, ...fields }: JsonObject): string {
  const message = typeof msg === 'string' ? msg : '';
  const pairs = Object.entries(fields)
    .map(([key, value]) => [key, valueText(value)] as const)
    .filter(([, value]) => message === '' || !message.includes(value))
    .map(([key, value]) =>
      styled('dim', printable(`${key}=${value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE - 1)}…` : value}`)),
    );
  const name = typeof event === 'string' ? printable(event) : '';
  const title = [name, printable(message)].filter((part) => part !== '').join(': ');
  return [styled('bold', title), ...pairs].join('  ');
}

function valueText(value: unknown): string {
  return typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value);
}
