import type { HeavyWork } from '@svc/sdk';
import { textBatches } from '@svc/toolkit/service';

/** Code units of one task of a thread: a few seconds of a large model. Between tasks, the thread takes the tasks of others. */
const TASK_LENGTH = 16_384;
/** Longer than the overlap of two windows of the model. */
const OVERLAP = 1_024;

/**
 * The scores of texts: one for each label, from 0 to 1 in thousandths. A text that is longer than a task has the highest scores of its parts.
 * @throws {Error} if a thread fails or returns anything else
 */
export async function scoresOf(texts: readonly string[], labels: number, moduleUrl: string, { runInWorker }: HeavyWork) {
  const scores = texts.map(() => new Array<number>(labels).fill(0));
  for (const parts of tasksOf(texts)) {
    const reply = await runInWorker(
      moduleUrl,
      parts.map(({ text }) => text),
    );
    if (!areScores(reply, parts.length, labels)) throw new Error('the worker thread did not return scores');
    for (const [n, { of }] of parts.entries()) {
      scores[of] = (scores[of] ?? []).map((highest, at) => Math.max(highest, reply[n]?.[at] ?? 0));
    }
  }
  return scores;
}

interface Part {
  readonly text: string;
  /** Index of its text. */
  readonly of: number;
}

function tasksOf(texts: readonly string[]): readonly (readonly Part[])[] {
  const tasks: Part[][] = [];
  let room = 0;
  for (const [of, text] of texts.entries()) {
    for (const part of partsOf(text)) {
      if (part.length > room || tasks.length === 0) {
        tasks.push([]);
        room = TASK_LENGTH;
      }
      tasks.at(-1)?.push({ text: part, of });
      room -= part.length;
    }
  }
  return tasks;
}

function partsOf(text: string): readonly string[] {
  if (text.length <= TASK_LENGTH) return [text];
  return textBatches([{ index: 0, text }], TASK_LENGTH, OVERLAP).map((batch) => batch.text);
}

function areScores(reply: unknown, texts: number, labels: number): reply is number[][] {
  return (
    Array.isArray(reply) &&
    reply.length === texts &&
    [...reply].every((row) => Array.isArray(row) && row.length === labels && [...row].every(isScore))
  );
}

function isScore(score: unknown): boolean {
  return typeof score === 'number' && score >= 0 && score <= 1;
}
