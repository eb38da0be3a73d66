import { fileURLToPath } from 'node:url';

/** A place in code, taken from a stack trace. */
export interface CodePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What may be reported about a thrown value. The message is not included, because it may quote text. */
export interface Thrown {
  /** Class name of the thrown value. Null if it is not an error, or its class has no plain name. */
  readonly error_class: string | null;
  /** The innermost place is first. */
  readonly places: readonly CodePlace[];
}

export const NOTHING_THROWN: Thrown = { error_class: null, places: [] };

const CLASS = /^[A-Za-z_$][\w$]{0,63}$/;
const FRAME = '    at ';
const NUMBER = /^\d{1,7}$/;
const MAX_FRAMES = 32;
const MAX_FRAME_LENGTH = 1_000;

/** Describes any thrown value. Never throws. */
export function readThrown(error: unknown): Thrown {
  try {
    if (!(error instanceof Error)) return NOTHING_THROWN;
    return { error_class: classOf(error), places: placesOf(error) };
  } catch {
    return NOTHING_THROWN;
  }
}

/** The constructor's name. The error's own `name` may be set to anything. */
function classOf(error: Error): string | null {
  const name: unknown = Object.getPrototypeOf(error)?.constructor?.name;
  return typeof name === 'string' && CLASS.test(name) ? name : null;
}

/** Reads only the frames after the message, because lines of the message may look like frames. */
function placesOf({ stack, message }: Error): CodePlace[] {
  if (typeof stack !== 'string' || typeof message !== 'string') return [];
  const at = stack.indexOf(message);
  if (at < 0) return [];
  const lines = stack.slice(at + message.length).split('\n', MAX_FRAMES);
  return lines.flatMap((line) => placeOf(line) ?? []);
}

function placeOf(frame: string): CodePlace | null {
  if (frame.length > MAX_FRAME_LENGTH || !frame.startsWith(FRAME)) return null;
  const open = frame.lastIndexOf('(');
  const place = open < 0 ? frame.slice(FRAME.length).replace(/^async /, '') : frame.slice(open + 1).replace(/\)$/, '');
  const [column = '', line = '', ...rest] = place.split(':').reverse();
  const file = rest.reverse().join(':');
  if (!NUMBER.test(line) || !NUMBER.test(column) || !/^(\/|file:\/\/\/)/.test(file)) return null;
  return { file: file.startsWith('file:') ? fileURLToPath(file) : file, line: Number(line), column: Number(column) };
}
