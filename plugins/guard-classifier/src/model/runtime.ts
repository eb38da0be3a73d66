import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolve } from 'import-meta-resolve';

/** The WebAssembly build of ONNX Runtime. Its native build ends the process if a thread is terminated while it works. */
const RUNTIME = 'onnxruntime-web/wasm';

/** The part of ONNX Runtime's API that is used: https://onnxruntime.ai/docs/api/js/ */
export interface Runtime {
  readonly InferenceSession: {
    create(
      model: Uint8Array,
      options: { readonly executionProviders: readonly string[]; readonly logSeverityLevel: number },
    ): Promise<Session>;
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
  ): Promise<Readonly<Record<string, { readonly type: string; readonly data: unknown }>>>;
}

/**
 * The URL of the runtime in the folder of the configuration or, if it is not there, beside this plugin.
 * @throws {Error} if it is not installed
 */
export function runtimeUrl(directory: string): string {
  for (const parent of [pathToFileURL(join(directory, 'package.json')).href, import.meta.url]) {
    try {
      return resolve(RUNTIME, parent);
    } catch {
      // Not there.
    }
  }
  throw new Error('onnxruntime-web is not installed: run npm install onnxruntime-web in the folder of the configuration');
}

export async function importRuntime(url: string): Promise<Runtime> {
  const runtime: Runtime = await import(/* @vite-ignore */ url);
  // Results then do not depend on the number of cores, and threads of other guards keep theirs.
  runtime.env.wasm.numThreads = 1;
  return runtime;
}
