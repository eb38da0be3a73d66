import { type ChatCompletion, type Stage, SvcError } from '../contracts/index.ts';
import { ArgumentsTooDeep, collectCompletion, collectRequest, knownAnswer, type Payload } from '../segments/index.ts';
import type { PipelineRun } from './pipeline-run.ts';
import type { PipelineNode } from './route.ts';

/** Whether nodes can change or stop anything. Where none can, nothing is written back, not even in another form. */
export function anyEnforces(nodes: readonly PipelineNode[]): boolean {
  return nodes.some(({ mode }) => mode === 'enforce');
}

/** The stage's text, or why it cannot be looked at. Edits of it change the run, unless its nodes only observe. */
export function stagePayload(run: PipelineRun, stage: Stage): Payload | SvcError {
  const enforces = anyEnforces(run.route[stage]) || run.route.unscannable !== 'pass';
  if (stage === 'ingress') return collectAsked(enforces ? run.request : structuredClone(run.request));
  if (run.completion === null) throw new Error('egress without an answer');
  // What observers see is what they would see as enforcers.
  return collectAnswer(enforces ? run.completion : knownAnswer(structuredClone(run.completion)));
}

function collectAsked(request: PipelineRun['request']): Payload | SvcError {
  return orTooDeep(
    () => collectRequest(request),
    (cause) => new SvcError('SVC-REQ-001', 'the arguments of a tool call are nested too deep to be looked at', { cause }),
  );
}

/** An answer's text, or why it cannot be looked at. */
export function collectAnswer(completion: ChatCompletion): Payload | SvcError {
  const detail = 'the model called a tool with arguments that are nested too deep to be looked at';
  return orTooDeep(
    () => collectCompletion(completion),
    (cause) => new SvcError('SVC-PROV-001', detail, { paid: true, cause }),
  );
}

function orTooDeep(collect: () => Payload, error: (cause: unknown) => SvcError): Payload | SvcError {
  try {
    return collect();
  } catch (thrown) {
    if (!(thrown instanceof ArgumentsTooDeep)) throw thrown;
    return error(thrown);
  }
}
