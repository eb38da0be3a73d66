import {
  type AnswerTools,
  type GuardStream,
  NO_ANSWER_TOOLS,
  type SkippedPart,
  type StreamStep,
  soon,
  Turns,
  VERDICTS,
} from '@svc/contracts';
import type { PipelineRun } from '@svc/kernel';
import {
  type CallEnv,
  callEnv,
  failedNode,
  type GuardCall,
  type GuardFailure,
  guardContext,
  isGuardResult,
  isStreamStep,
  type JudgedNode,
  type Judgement,
  judge,
  judgedNode,
  type NodeMode,
  type PipelineEnv,
  type ReturnedResult,
} from '@svc/kernel/guards';
import { reportFailure } from '@svc/kernel/observing';
import type { PipelineNode } from '@svc/kernel/routes';
import type { Payload } from '../texts/payload.ts';
import { after } from './after.ts';
import { GatheredStream } from './gathered-stream.ts';

/** Maximum number of unreadable parts that are kept. An event names only some of them. */
const MAX_SKIPPED = 10_000;

/** A streamed text of an answer. */
export interface Channel {
  readonly choice: number;
  readonly path: string;
}

/** A call runs until its limit even if the run is cancelled meanwhile, because calls must not overlap. */
const NEVER = new AbortController().signal;
/** Created once: every new error would get a stack trace that nobody reads. */
const ENDED: unknown = AbortSignal.abort().reason;

/** One node for one streamed answer. Passes on what the guard releases, enforces the guard's contract, and sums up what it saw and found. */
export class NodeStream {
  readonly node: PipelineNode;
  readonly mode: NodeMode;
  readonly #env: CallEnv;
  readonly #given_up = new AbortController();
  #stream: GuardStream | null = null;
  /** The current or last call of the guard. */
  #call: GuardCall | null = null;
  readonly #channels = new Set<string>();
  #segments = 0;
  #characters = 0;
  /** By reason and path, because each piece of a stream may report the same part. */
  readonly #skipped = new Map<string, SkippedPart>();
  #duration_ms = 0;
  #failure: GuardFailure | null = null;
  /** Code of the guard's `stop`. Null if the guard has not stopped the stream. */
  #stopped: string | null = null;
  /** Code with which the guard refused a complete part. Null if it refused none. */
  #refused: string | null = null;
  readonly #results: ReturnedResult[] = [];
  /** The tools in the newest parts. For a guard that only judges whole answers, those in all parts. */
  #tools: AnswerTools = NO_ANSWER_TOOLS;

  constructor(run: PipelineRun, node: PipelineNode, env: PipelineEnv) {
    this.node = node;
    this.mode = node.guard.stream?.capability === 'window' ? 'window' : 'post';
    this.#env = callEnv(run, 'egress', env);
    const context = guardContext(run, node, 'egress', {
      signal: this.#given_up.signal,
      runInWorker: (moduleUrl, input) => this.#work(moduleUrl, input),
      answerTools: () => this.#toolsRead(),
    });
    const untrusted = run.route.untrusted.includes('assistant');
    const open = (): unknown =>
      node.guard.stream === undefined ? new GatheredStream(node.guard, context, untrusted) : node.guard.stream.open(context);
    const opened = this.#hold(open, isGuardStream);
    if (opened instanceof Promise) {
      this.#failure = 'invalid';
      // If the promise rejects, `judge` reports that.
      void opened.then(({ ok }) => ok && reportFailure(node, this.#env, 'invalid_result'));
    } else this.#stream = this.#take(opened);
  }

  /** Why nothing more may be sent. Null while text may be sent. */
  get refusal(): string | null {
    if (this.node.mode === 'observe') return null;
    return this.#failure === null ? (this.#stopped ?? this.#refused) : 'SVC-NODE-001';
  }

  /** @returns the text that may be sent, including text that was held back before */
  push(channel: Channel, text: string): string | Promise<string> {
    // After a stop, the node sees no more text, even if it only observes and the stream continues.
    if (this.#stopped === null) {
      this.#characters += text.length;
      this.#channels.add(`${channel.choice} ${channel.path}`);
    }
    return this.#step(text, (stream) => stream.push({ ...channel, text }));
  }

  /** @returns the text of the channel that was held back */
  end(channel: Channel): string | Promise<string> {
    return this.#step('', (stream) => stream.end(channel));
  }

  /** Records parts that no guard can read. */
  unread(skipped: readonly SkippedPart[]): void {
    if (this.#stopped !== null) return;
    for (const part of skipped) {
      if (this.#skipped.size >= MAX_SKIPPED) return;
      this.#skipped.set(`${part.why} ${part.path}`, part);
    }
  }

  /** Passes parts that are not streamed to the guard, and applies its edits. */
  async complete(payload: Payload): Promise<void> {
    if (this.#stopped !== null) return;
    const seen = payload.seen(this.node.scope, this.node.guard.reads_numbers);
    const { segments, scanned } = seen;
    this.#segments += scanned.segments;
    this.#characters += scanned.characters;
    this.unread(scanned.skipped);
    const tools = payload.tools();
    const { calls, listed } = this.#tools;
    this.#tools = this.node.guard.stream ? tools : { calls: [...calls, ...tools.calls], listed: [...listed, ...tools.listed] };
    const result = await this.#ask((stream) => stream.complete(segments), this.#isResult);
    if (result === null) return;
    const editing = seen.edit(result.edits, this.node.mode === 'enforce', result.withheld);
    if (!(await soon(editing, new Turns(this.#env, this.#env.clock)))) {
      this.#failure = 'invalid';
      reportFailure(this.node, this.#env, 'invalid_result');
      return;
    }
    this.#results.push(result);
    if (result.verdict === 'block' || result.verdict === 'require_approval') this.#refused = result.code;
  }

  /** @throws {Error} if the guard did not declare that it reads them: some may then be missing */
  #toolsRead(): AnswerTools {
    if (this.node.guard.reads_calls !== true)
      throw new Error('a guard that reads the tools of a stream needs `reads_calls: true`');
    return this.#tools;
  }

  /**
   * Asks for the verdict on all pushed text. Call this once. `late`: the guard refuses or fails only now, or would have edited text that was already
   * sent. If the answer was cut short (not `ended`), a `window` guard may still hold back the refused text, which was then not sent.
   */
  async finish(ended: boolean): Promise<{ judged: JudgedNode; late: boolean }> {
    const refusedBefore = this.refusal !== null;
    let late = false;
    if (this.#stopped !== null) await this.#findingsOfStop();
    else {
      const result = await this.#ask((stream) => stream.finish(), this.#isVerdict);
      if (result !== null) {
        this.#results.push(result);
        const masked = this.mode === 'window' && result.verdict === 'sanitize';
        late = result.verdict !== 'allow' && !masked && this.node.mode === 'enforce';
      }
    }
    this.#given_up.abort(ENDED);
    const refuses = late || (!refusedBefore && this.refusal !== null);
    return { judged: this.#judged(), late: refuses && (ended || this.mode === 'post') };
  }

  /** Asks a guard that stopped the stream for its findings only: its verdict is known. The stop remains valid even if the guard fails now. */
  async #findingsOfStop(): Promise<void> {
    const stream = this.#stream;
    if (stream === null || this.#failure !== null) return;
    const judgement = await this.#hold(() => stream.finish(), this.#isVerdict);
    this.#duration_ms += judgement.duration_ms;
    if (judgement.ok) this.#results.push(judgement.result);
  }

  readonly #isResult = (answer: unknown): answer is ReturnedResult => isGuardResult(answer, this.node.guard);

  /** Text that was already sent cannot be edited. */
  readonly #isVerdict = (answer: unknown): answer is ReturnedResult => this.#isResult(answer) && answer.edits.length === 0;

  #judged(): JudgedNode {
    const scanned = {
      segments: this.#channels.size + this.#segments,
      characters: this.#characters,
      skipped: [...this.#skipped.values()],
    };
    const findings = this.#results.flatMap((result) => result.findings);
    const seen = { scanned, findings, duration_ms: this.#duration_ms };
    if (this.#failure !== null) return failedNode(this.node.on_error, this.#failure, seen);
    // Among equally strict results, the last one counts: that of the text, from `finish`.
    const strictest = this.#results.toSorted((a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict)).at(-1);
    if (this.#stopped !== null) return judgedNode({ ...seen, verdict: 'block', code: this.#stopped });
    return judgedNode({ ...seen, verdict: strictest?.verdict ?? this.node.on_error, code: strictest?.code ?? 'SVC-NODE-001' });
  }

  #step(text: string, call: (stream: GuardStream) => StreamStep | Promise<StreamStep>): string | Promise<string> {
    return after(this.#ask(call, isStreamStep), (step) => this.#released(text, step));
  }

  #released(text: string, step: StreamStep | null): string {
    const observed = this.node.mode === 'observe';
    if (step === null) return observed ? text : '';
    if (step.stop !== undefined) this.#stopped = step.stop.code;
    if (observed) return text;
    return step.stop === undefined ? step.release : '';
  }

  /** Null if the guard has failed or has stopped the stream. Synchronous if the guard answers synchronously. */
  #ask<R>(call: (stream: GuardStream) => unknown, isValid: (answer: unknown) => answer is R): R | null | Promise<R | null> {
    const stream = this.#stream;
    if (stream === null || this.#stopped !== null || this.#failure !== null) return null;
    return after(
      this.#hold(() => call(stream), isValid),
      (judgement) => this.#take(judgement),
    );
  }

  #hold<R>(ask: () => unknown, isValid: (answer: unknown) => answer is R): Judgement<R> | Promise<Judgement<R>> {
    const asked = (call: GuardCall): unknown => {
      this.#call = call;
      return ask();
    };
    return judge(this.node, this.#env, NEVER, asked, isValid, () => this.#given_up.abort());
  }

  /** The context belongs to the whole stream, but work in threads belongs to the current call. */
  async #work(moduleUrl: string, input: unknown): Promise<unknown> {
    if (this.#call === null) throw new Error('no call of the guard is under way');
    return this.#call.runInWorker(moduleUrl, input);
  }

  #take<R>(judgement: Judgement<R>): R | null {
    this.#duration_ms += judgement.duration_ms;
    if (judgement.ok) return judgement.result;
    this.#failure = judgement.failure;
    return null;
  }
}

function isGuardStream(value: unknown): value is GuardStream {
  if (typeof value !== 'object' || value === null) return false;
  return ['push', 'end', 'complete', 'finish'].every((name) => typeof Reflect.get(value, name) === 'function');
}
