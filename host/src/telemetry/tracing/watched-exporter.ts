import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';

/** Logs once when the collector does not accept spans, and once when it accepts them again. */
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

  /** Call this at the end. Pending exports are abandoned. */
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

/** A system code such as ECONNREFUSED, or an HTTP status. Never the message, which may contain the collector's text. */
function reasonOf(error: Error | undefined): string {
  const code: unknown = error === undefined ? undefined : Reflect.get(error, 'code');
  return typeof code === 'string' || typeof code === 'number' ? `${code}` : (error?.name ?? 'unknown');
}
