import { type Diagnostic, formatDiagnostic } from '../config/index.ts';
import type { PriceBook } from '../prices/price-book.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Codes that other checks report. */
const SECRETS = 'SVC-POL-008';
const NO_PRICE = 'SVC-POL-013';
const MAX_LISTED = 5;

/** @param diagnostics of the configuration, read without its secrets */
export function checkConfiguration(file: string, diagnostics: readonly Diagnostic[]): Finding[] {
  const own = diagnostics.filter(({ code }) => code !== NO_PRICE);
  const errors = own.filter(({ severity }) => severity === 'error');
  const findings = errors
    .slice(0, MAX_LISTED)
    .map((diagnostic) => problem('configuration', formatDiagnostic(diagnostic), `correct it; svc lint ${file} shows all errors`));
  if (errors.length > 0) return findings;
  const warnings = own.length;
  if (warnings === 0) return [ok('configuration', `${file} is valid`)];
  const message = `${file} is valid, with ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
  return [warning('configuration', message, `svc lint ${file} shows ${warnings === 1 ? 'it' : 'them'}`)];
}

/** @param diagnostics of the configuration, read with its secrets */
export function checkSecrets(diagnostics: readonly Diagnostic[]): Finding[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return [ok('secrets', 'every secret:// reference has a value')];
  return errors.map((diagnostic) =>
    problem(
      'secrets',
      formatDiagnostic(diagnostic),
      diagnostic.code === SECRETS
        ? 'run svc doctor as the user and in the environment of the server; if it fails there too, set the secret'
        : 'correct the value of the secret',
    ),
  );
}

/** @param diagnostics of the configuration, read without its secrets */
export function checkPrices(prices: PriceBook | null, diagnostics: readonly Diagnostic[]): Finding[] {
  if (prices === null) return [ok('prices', 'no section prices: tokens are counted, costs are not')];
  const unpriced = diagnostics.filter(({ code }) => code === NO_PRICE);
  if (unpriced.length === 0) return [ok('prices', 'every model of a route has a price')];
  return unpriced.map((diagnostic) =>
    warning(
      'prices',
      formatDiagnostic(diagnostic),
      'add a price: without one, the costs of its calls are unknown and do not count against budgets',
    ),
  );
}
