import type { Found } from '@svc/sdk/masking';
import { makeScanner, type Scanner } from '../scanner.ts';
import type { ScanSettings } from '../settings.ts';

export interface ScanTask {
  readonly settings: ScanSettings;
  readonly texts: readonly string[];
}

/** Scanners are made once a thread; configurations have few. */
const scanners = new Map<string, Scanner>();

/** Runs in a worker thread. */
export default function scan({ settings, texts }: ScanTask): (readonly Found[])[] {
  const name = JSON.stringify(settings);
  const scanner = scanners.get(name) ?? makeScanner(settings);
  scanners.set(name, scanner);
  return texts.map((text) => scanner.find(text));
}
