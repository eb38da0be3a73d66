import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why no file system can be mounted here; null if one can. */
export function whyNoMount(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder], { stdio: 'ignore' });
    return null;
  } catch {
    return process.env.CI === 'true' ? null : 'needs the right to mount a file system';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
