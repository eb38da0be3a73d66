import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Progress } from './progress.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

function terminal(isTTY = true): { isTTY: boolean; write: (text: string) => boolean; written: string[] } {
  const written: string[] = [];
  return { isTTY, write: (text) => written.push(text) > 0, written };
}

it('shows the progress of long work, and removes the line at the end', () => {
  const stream = terminal();
  const progress = new Progress(stream, 'documents', { of: 'bytes', count: 1000 });
  progress.advance(1, 100);
  expect(stream.written).toEqual([]);
  vi.advanceTimersByTime(1000);
  progress.advance(4, 400);
  expect(stream.written.join('')).toContain(`[${'#'.repeat(15)}${'.'.repeat(15)}] 50 %  5 documents, 5/s, 1 s left`);
  progress.end();
  expect(stream.written.at(-1)).toBe('\r\u001b[K');
});

it('shows how much was done if the total is unknown', () => {
  const stream = terminal();
  const progress = new Progress(stream, 'records', null);
  vi.advanceTimersByTime(1000);
  progress.advance(3000, 0);
  expect(stream.written.join('')).toContain('3,000 records, 3,000/s');
});

it('writes nothing if the output is not a terminal', () => {
  const stream = terminal(false);
  const progress = new Progress(stream, 'records', { of: 'items', count: 10 });
  vi.advanceTimersByTime(1000);
  progress.advance(5, 0);
  progress.end();
  expect(stream.written).toEqual([]);
});
