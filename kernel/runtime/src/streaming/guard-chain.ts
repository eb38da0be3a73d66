import { type FieldTable, isSvcError, type SkippedPart, type SvcError, turnOfStream } from '@svc/contracts';
import type { PipelineRun } from '@svc/kernel';
import { type PipelineEnv, reportNode, skipNode, verdictEvent } from '@svc/kernel/guards';
import { anyReadsNumbers, type PipelineNode } from '@svc/kernel/routes';
import type { Payload } from '../texts/payload.ts';
import { collectAnswer } from '../texts/within-limits.ts';
import { after } from './after.ts';
import { type Channel, NodeStream } from './node-stream.ts';
import { toolsIn } from './tools-in.ts';

/** The node that stopped the answer, and the node's code. `late`: the refused text was already sent. */
export interface Violation {
  readonly node: string;
  readonly code: string;
  readonly late: boolean;
}

/** The nodes that check a streamed answer, one after another. Each sees what the nodes before it released. */
export class GuardChain {
  readonly #run: PipelineRun;
  readonly #nodes: readonly NodeStream[];
  /** Nodes whose guards are disabled. */
  readonly #skipped: readonly PipelineNode[];
  readonly #env: PipelineEnv;
  /** Whether a node may stop the answer before its end, even if the node only observes. */
  readonly mayStop: boolean;
  readonly #reads_numbers: boolean;
  readonly #reads_calls: boolean;

  constructor(run: PipelineRun, nodes: readonly PipelineNode[], env: PipelineEnv) {
    this.#run = run;
    this.#env = env;
    this.#skipped = nodes.filter((node) => env.policy.guardStop(node) !== null);
    this.#reads_numbers = anyReadsNumbers(nodes);
    this.#nodes = nodes.filter((node) => !this.#skipped.includes(node)).map((node) => new NodeStream(run, node, env));
    this.#reads_calls = this.#nodes.some(({ node }) => node.guard.reads_calls === true);
    this.mayStop = this.#nodes.some(({ node, mode }) => mode === 'window' && node.guard.verdicts.includes('block'));
  }

  /** See {@link turnOfStream}. */
  turn(): Promise<void> | undefined {
    return turnOfStream(this.#run.principal_id);
  }

  /** The first refusal; null while text may be sent. */
  get violation(): Violation | null {
    for (const { node, refusal } of this.#nodes) {
      if (refusal !== null) return { node: node.name, code: refusal, late: false };
    }
    return null;
  }

  /** @returns the text that may be sent now; nothing after a refusal */
  push(channel: Channel, text: string): string | Promise<string> {
    return this.#pushFrom(0, channel, text);
  }

  #pushFrom(first: number, channel: Channel, text: string): string | Promise<string> {
    const node = this.#nodes[first];
    if (node === undefined || text === '') return this.violation === null ? text : '';
    return after(node.push(channel, text), (released) => this.#pushFrom(first + 1, channel, released));
  }

  async end(channel: Channel): Promise<string> {
    let carried = '';
    for (const node of this.#nodes) {
      const pushed = carried === '' ? '' : await node.push(channel, carried);
      carried = pushed + (await node.end(channel));
    }
    return this.violation === null ? carried : '';
  }

  /**
   * The texts that are not streamed in a frame or a part of the answer, and the tools if a guard reads them.
   * @param path path of the part in a complete answer, such as `content.2`
   * @param frames the frames in which the part arrived
   */
  collect(
    part: object,
    table: FieldTable = this.#run.protocol.answer,
    path?: string,
    frames: readonly object[] = [],
  ): Payload | SvcError {
    const payload = collectAnswer(this.#run, table, part, this.#reads_numbers, { path });
    const { tools } = this.#run.protocol;
    if (this.#reads_calls && tools !== undefined && !isSvcError(payload))
      payload.tools = toolsIn(tools, part, path ?? '', frames);
    return payload;
  }

  /** Records parts that no guard can read. */
  unread(skipped: readonly SkippedPart[]): void {
    for (const node of this.#nodes) node.unread(skipped);
  }

  async complete(payload: Payload): Promise<void> {
    for (const node of this.#nodes) {
      await payload.turn(this.#run.principal_id);
      await node.complete(payload);
      if (node.refusal !== null) return;
    }
  }

  /** Asks every node for its verdict on the text that it saw, and records it. @returns the violation, if there is one now */
  async finish(recorded: boolean, ended: boolean): Promise<Violation | null> {
    let violation = this.violation;
    if (recorded) for (const node of this.#skipped) skipNode(node, 'egress', this.#run.events, this.#env.policy);
    for (const stream of this.#nodes) {
      const { judged, late } = await stream.finish(ended);
      const { node, mode } = stream;
      if (late || stream.refusal !== null) violation ??= { node: node.name, code: judged.code, late };
      // A node that refused earlier may give another code now that it has seen everything.
      if (violation?.node === node.name) violation = { ...violation, code: judged.code };
      if (!recorded) continue;
      this.#run.events.push(verdictEvent(node, 'egress', judged, mode));
      reportNode(this.#run, node, 'egress', judged, this.#env.clock.monotonic());
    }
    return violation;
  }
}
