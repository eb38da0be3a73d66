import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ChatRequest, PluginDeps, Provider, ProviderError } from '@svc/sdk';
import { identityOf } from '@svc/toolkit/upstream';
import { ChunkStream } from './answer/chunk-stream.ts';
import { completionOf } from './answer/completion.ts';
import { Call, currentCall } from './call/call.ts';
import { failureOfCall } from './call/failure.ts';
import { Models } from './model/models.ts';
import type { AiSdkOptions } from './model/options.ts';
import { PackageError } from './model/package-error.ts';
import { callOptionsOf } from './request/call-options.ts';
import { withWarnings } from './request/warnings.ts';
import { UpstreamFetch } from './upstream/upstream-fetch.ts';

/** A provider for the language models of an AI SDK package. */
export function aiSdkProvider(options: AiSdkOptions, deps: PluginDeps): Provider {
  const { clock, logger } = deps;
  const upstream = new UpstreamFetch(options, deps);
  const models = new Models(options, deps, upstream.fetch);

  /** Logs a reason and a remedy for the operator. Callers do not learn about wrong keys, and nobody sees the package's own message. */
  function failed(error: unknown, call: Call): ProviderError {
    const failure = failureOfCall(error, call, clock.now());
    if (failure.kind === 'configuration' && failure.cost === 'none') {
      const { fault, remedy } = failure instanceof PackageError ? failure : SETTINGS;
      logger.error({ event: 'ai_sdk_package_unusable', package: options.package, reason: fault, remedy });
    }
    return failure;
  }

  function callOptions(request: ChatRequest, call: Call) {
    const { options: asked, unsupported } = callOptionsOf(request);
    // The package's types are narrower, but it reads these options as JSON.
    const providerOptions = options.provider_options as NonNullable<LanguageModelV4CallOptions['providerOptions']>;
    return { asked: { ...asked, providerOptions, abortSignal: call.signal }, unsupported };
  }

  return {
    vendor: vendorOf(options),

    async complete(request, context) {
      const call = new Call(context, false);
      try {
        context.signal.throwIfAborted();
        const { asked, unsupported } = callOptions(request, call);
        const model = await models.model(request.model);
        const result = await currentCall.run(call, () => model.doGenerate(asked));
        context.signal.throwIfAborted();
        const completion = completionOf(result, identityOf(request, context, clock));
        return { completion, unsupported: withWarnings(unsupported, result.warnings, request) };
      } catch (error) {
        throw failed(error, call);
      } finally {
        call.leave();
      }
    },

    async stream(request, context) {
      const call = new Call(context, true);
      try {
        context.signal.throwIfAborted();
        const { asked, unsupported } = callOptions(request, call);
        const model = await models.model(request.model);
        const { stream } = await currentCall.run(call, () => model.doStream(asked));
        const chunks = new ChunkStream(stream, identityOf(request, context, clock), call, clock);
        return { chunks, unsupported: withWarnings(unsupported, await chunks.warnings(), request) };
      } catch (error) {
        const failure = failed(error, call);
        call.leave();
        throw failure;
      }
    },

    close: () => upstream.close(),
  };
}

/** The host in the settings' base URL. Without one, the vendor in the package name: `@ai-sdk/mistral`, `@openrouter/ai-sdk-provider`. */
function vendorOf({ package: name, settings }: AiSdkOptions): string {
  const baseURL: unknown = Reflect.get(settings, 'baseURL');
  return typeof baseURL === 'string' ? baseURL : (name.replace(/^@(?:ai-sdk\/)?/, '').split('/')[0] ?? name);
}

const SETTINGS = {
  fault: 'settings',
  remedy: 'check settings and provider_options against the documentation of the package; a key or region may be missing',
};
