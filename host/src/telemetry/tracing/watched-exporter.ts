import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';

/** An exporter that says once that its collector does not take spans, and once that it does again. */
export class WatchedExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #logger: Logger;
  #failing = false;
  #underWay = 0;

  constructor(inner: SpanExporter, logger: Logger) {
    this.#inner = inner;
    this.#logger = logger;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#underWay += 1;
    this.#inner.export(spans, (result) => {
      this.#underWay -= 1;
      this.#note(result);
      done(result);
    });
  }

  /** At the end: nobody waits for what is under way. */
  giveUp(): void {
    if (this.#underWay === 0) return;
    this.#note({ code: ExportResultCode.FAILED, error: Object.assign(new Error('given up'), { code: 'ECANCELED' }) });
  }

  async forceFlush(): Promise<void> {
    await this.#inner.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }

  #note({ code, error }: ExportResult): void {
    const failed = code !== ExportResultCode.SUCCESS;
    if (failed === this.#failing) return;
    this.#failing = failed;
    if (failed) this.#logger.warn({ event: 'traces_failed', reason: reasonOf(error) });
    else this.#logger.info({ event: 'traces_resumed' });
  }
}

/** A system code such as ECONNREFUSED or an HTTP status; never the message, which may hold what a collector wrote. */
function reasonOf(error: Error | undefined): string {
  const code: unknown = error === undefined ? undefined : Reflect.get(error, 'code');
  return typeof code === 'string' || typeof code === 'number' ? `${code}` : (error?.name ?? 'unknown');
}
