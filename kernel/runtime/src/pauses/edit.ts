import { type AnswerBody, cloneJson, finished, type RequestBody, type Segment, SvcError } from '@svc/contracts';
import type { LiveRun } from '@svc/kernel';
import type { OpenedPause, Texts } from '@svc/kernel/ports';

/** A new text that replaces one that an approver was shown. `index`: position of the text, as in {@link EditableText}. */
export interface TextEdit {
  readonly index: number;
  readonly text: string;
}

/** A text that an approver may change: one that guards read. Names, ids, links and keys cannot be changed. */
export type EditableText = Pick<Segment, 'index' | 'path' | 'role' | 'text'>;

/** Request and answer as they were before an approver changed them. */
export interface Unedited {
  readonly request: RequestBody;
  readonly completion: AnswerBody | null;
}

type Paused = Pick<OpenedPause, 'stage'>;

/** The texts that an approver may change: those of the answer in egress, otherwise those of the request. Empty if they cannot be read. */
export function editableTexts(run: LiveRun, pause: Paused, texts: Texts): readonly EditableText[] {
  const seen = seenIn(run, pause, texts);
  return seen instanceof Error
    ? []
    : seen.segments.filter(isEditable).map(({ index, path, role, text }) => ({ index, path, role, text }));
}

/**
 * Changes texts of a paused run's request or answer.
 * @returns the content before the change
 * @throws {SvcError} SVC-REQ-001 for a text that does not exist or must not be changed
 */
export function editTexts(run: LiveRun, pause: Paused, edits: readonly TextEdit[], texts: Texts): Unedited {
  const before = { request: cloneJson(run.request), completion: run.completion };
  run.completion &&= cloneJson(run.completion);
  const seen = seenIn(run, pause, texts);
  if (seen instanceof Error) throw seen;
  const changes = edits.map(({ index, text }, at) => {
    const segment = seen.segments[index];
    if (segment === undefined || !isEditable(segment))
      throw new SvcError('SVC-REQ-001', `body/edits/${at}/index is not the index of an editable text of the pending run`, {
        run_id: run.run_id,
      });
    return { segment: index, start: 0, end: segment.text.length, replacement: text };
  });
  if (!finished(seen.edit(changes, true)))
    throw new SvcError('SVC-REQ-001', 'body/edits changes a text twice, or its text is not well-formed Unicode', {
      run_id: run.run_id,
    });
  return before;
}

function seenIn(run: LiveRun, { stage }: Paused, texts: Texts) {
  const read = stage === 'egress' ? texts.ofAnswer(run, false, true) : texts.ofRequest(run, false);
  return read instanceof Error ? read : read.seen('all');
}

function isEditable({ kind, is_thinking }: Segment): boolean {
  return (kind === 'text' || kind === 'argument') && is_thinking === undefined;
}
