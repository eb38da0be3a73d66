import { expect, it } from 'vitest';
import { checkpointText, parseCheckpoint } from './checkpoint.ts';
import { MalformedNote } from './malformed-note.ts';
import { EMPTY_ROOT } from './merkle.ts';

it('reads the head of a checkpoint, and refuses other texts', () => {
  const head = { origin: 'example.org/gateway', size: 12, root: EMPTY_ROOT };
  expect(parseCheckpoint(checkpointText(head))).toEqual(head);
  for (const note of ['', 'a\nb\nc\n', 'a\n1\n', 'a\n1\nAAAA\n']) expect(() => parseCheckpoint(note)).toThrow(MalformedNote);
});
