import { type ChatCompletion, JsonCounter, type JsonExcess, type Stage, SvcError } from '@svc/contracts';
import {
  type Admit,
  collectCompletion,
  collectRequest,
  knownAnswer,
  NoRoomForJson,
  type Payload,
  TooMuchJson,
} from '../segments/index.ts';
import type { PipelineRun } from './pipeline-run.ts';
import type { PipelineNode } from './route.ts';

/** Whether nodes can change or stop anything. Where none can, nothing is written back, not even in another form. */
export function anyEnforces(nodes: readonly PipelineNode[]): boolean {
  return nodes.some(({ mode }) => mode === 'enforce');
}

/** Whether any of them looks at numbers. */
export function anyReadsNumbers(nodes: readonly PipelineNode[]): boolean {
  return nodes.some(({ guard }) => guard.reads_numbers === true);
}

/** The stage's text, or why it cannot be looked at. Edits of it change the run, unless its nodes only observe. */
export function stagePayload(run: PipelineRun, stage: Stage): Payload | SvcError {
  const nodes = run.route[stage];
  const enforces = anyEnforces(nodes) || run.route.unscannable !== 'pass';
  const numbers = anyReadsNumbers(nodes);
  if (stage === 'ingress') {
    // A run that was taken on already is let end.
    const admit: Admit = (values) => run.bytes.weigh(run.admitted ? 'answer' : 'request', values);
    return collectAsked(enforces ? run.request : structuredClone(run.request), numbers, admit);
  }
  if (run.completion === null) throw new Error('egress without an answer');
  // What observers see is what they would see as enforcers.
  return collectAnswer(run, enforces ? run.completion : knownAnswer(structuredClone(run.completion)), numbers);
}

function collectAsked(request: PipelineRun['request'], numbers: boolean, admit: Admit): Payload | SvcError {
  return unlessTooMuch(
    () => collectRequest(request, numbers, new JsonCounter(), admit),
    (excess, cause) =>
      excess === 'nested_too_deep'
        ? new SvcError('SVC-REQ-001', 'JSON in the text of a tool is nested too deep to be looked at', { cause })
        : new SvcError('SVC-REQ-002', 'the request and the JSON in the texts of its tools hold too many values or keys', {
            cause,
          }),
  );
}

/** An answer's text, or why it cannot be looked at. */
export function collectAnswer(
  { bytes }: Pick<PipelineRun, 'bytes'>,
  completion: ChatCompletion,
  numbers: boolean,
): Payload | SvcError {
  return unlessTooMuch(
    () => collectCompletion(completion, numbers, (values) => bytes.weigh('answer', values)),
    (excess, cause) => {
      const much = excess === 'nested_too_deep' ? 'are nested too deep' : 'hold too many JSON values or keys';
      const detail = `the answer and the JSON in its tool calls ${much} to be looked at`;
      return new SvcError('SVC-PROV-001', detail, { paid: true, cause });
    },
    true,
  );
}

function unlessTooMuch(
  collect: () => Payload,
  error: (excess: JsonExcess, cause: unknown) => SvcError,
  paid = false,
): Payload | SvcError {
  try {
    return collect();
  } catch (thrown) {
    if (thrown instanceof NoRoomForJson)
      return new SvcError('SVC-BUSY-001', 'too much JSON is under work; ask again later', {
        retry_after_s: RETRY_AFTER_S,
        ...(paid && { paid }),
        cause: thrown,
      });
    if (!(thrown instanceof TooMuchJson)) throw thrown;
    return error(thrown.excess, thrown);
  }
}

const RETRY_AFTER_S = 1;
