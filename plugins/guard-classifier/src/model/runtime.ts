import { installedUrl, NotInstalledError } from '@svc/toolkit/installed';

/** The WebAssembly build of ONNX Runtime. Its native build ends the process if a thread is terminated while it works. */
const RUNTIME = 'onnxruntime-web/wasm';

interface Logging {
  readonly logSeverityLevel: number;
}

/** The part of ONNX Runtime's API that is used: https://onnxruntime.ai/docs/api/js/ */
export interface Runtime {
  readonly InferenceSession: {
    create(model: Uint8Array, options: Logging & { readonly executionProviders: readonly string[] }): Promise<Session>;
  };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => object;
  readonly env: { readonly wasm: { numThreads?: number } };
}

export interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  /** A number in `shape` is a fixed length. */
  readonly inputMetadata: readonly {
    readonly name: string;
    readonly type?: string;
    readonly shape?: readonly (number | string)[];
  }[];
  run(
    feeds: Readonly<Record<string, object>>,
    options: Logging,
  ): Promise<Readonly<Record<string, { readonly type: string; readonly data: unknown }>>>;
}

/** The URL of the runtime. @throws {NotInstalledError} */
export function runtimeUrl(directory: string): string {
  const url = installedUrl(RUNTIME, directory, import.meta.url);
  if (url === null) throw new NotInstalledError('onnxruntime-web');
  return url;
}

export async function importRuntime(url: string): Promise<Runtime> {
  const runtime: Runtime = await import(/* @vite-ignore */ url);
  // Results then do not depend on the number of cores, and threads of other guards keep theirs.
  runtime.env.wasm.numThreads = 1;
  return runtime;
}
