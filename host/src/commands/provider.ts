import { usableProvider } from '../compose/configuration.ts';
import { newHost } from '../compose/host.ts';
import { GUARD_POOL } from '../compose/tokens.ts';
import { closeProvider } from '../config/close-instances.ts';
import { CliError } from '../errors/cli-error.ts';
import { type Called, callProvider, type Failed, WAYS } from '../provider-test/call-provider.ts';
import { ADVICE } from '../provider-test/cause.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { printable, styled } from '../terminal/terminal.ts';
import { CONFIG_OPTION, readArguments, unknownCommand } from './arguments.ts';

/** `svc provider test`. */
export async function provider([command, ...args]: string[]): Promise<void> {
  if (command !== 'test') throw unknownCommand('provider', command, ['svc provider test']);
  return test(args);
}

/**
 * `svc provider test NAME [--model M] [--config F] [--json]`: calls a provider twice with a short question, whole and streamed. Starts no gateway, so nothing is
 * recorded. Exit code 1 if a call fails.
 */
async function test(args: string[]): Promise<void> {
  const options = {
    config: CONFIG_OPTION,
    model: { type: 'string' },
    json: { type: 'boolean' },
  } as const;
  const { values, positionals } = readArguments(args, options, ['NAME']);
  const [name = ''] = positionals;
  const host = newHost(silentLogger);
  try {
    const { provider, protocols, models } = await usableProvider(values.config, name, host);
    try {
      const model = values.model ?? models[0];
      if (model === undefined) throw new CliError(`no route uses a model of ${name}: name one with --model`, 2);
      const calls: Partial<Record<(typeof WAYS)[number], Called>> = {};
      for (const way of WAYS) {
        const called = await callProvider(provider, model, protocols, way);
        calls[way] = called;
        if (values.json !== true) process.stdout.write(`${callLine(way, called)}\n`);
      }
      const passed = Object.values(calls).every(({ ok }) => ok);
      process.stdout.write(
        values.json === true
          ? `${JSON.stringify({ provider: name, type: provider.type, model, ok: passed, ...calls })}\n`
          : `${summary(`${name} (${provider.type}), model ${model}`, Object.values(calls))}\n`,
      );
      if (!passed) process.exitCode = 1;
    } finally {
      await closeProvider(provider, {
        warn: (fields) =>
          void process.stderr.write(`the provider could not be closed: ${printable(String(Reflect.get(fields, 'reason')))}\n`),
      });
    }
  } finally {
    await host.resolve(GUARD_POOL).close();
  }
}

function callLine(way: string, called: Called): string {
  const start = `${way.padEnd('streamed'.length)}  `;
  if (!called.ok) return `${start}${styled('red', 'FAIL')}  ${failureWords(called)}`;
  const { duration_ms, first_piece_ms, characters, usage } = called;
  const parts = [
    `${duration_ms} ms`,
    ...(first_piece_ms === null ? [] : [`first piece after ${first_piece_ms} ms`]),
    characters === 0 ? 'the answer has no text' : `answer of ${characters} characters`,
    usage === null ? 'no usage reported' : `${usage.input_tokens} input and ${usage.output_tokens} output tokens`,
  ];
  return `${start}${styled('green', 'ok')}    ${parts.join(', ')}`;
}

function failureWords({ cause, status, reason, retry_after_s, duration_ms }: Failed): string {
  const codes = [status === null ? [] : [`status ${status}`], reason === null ? [] : [reason], `${duration_ms} ms`].flat();
  const [happened, remedy] = ADVICE[cause];
  const wait = retry_after_s === null ? '' : ` It asked to wait ${retry_after_s} s.`;
  return `${happened} (${codes.join(', ')}): ${remedy}.${wait}`;
}

function summary(what: string, calls: readonly Called[]): string {
  const works = WAYS.filter((_, index) => calls[index]?.ok);
  if (works.length === WAYS.length) return styled('green', `${printable(what)} answers ${works.join(' and ')}`);
  const said = works.length === 0 ? 'does not answer' : `answers only ${works.join()}`;
  return styled('red', `${printable(what)} ${said}`);
}
