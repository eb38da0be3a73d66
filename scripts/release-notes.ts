import { pep440 } from '../kernel/kernel/src/version.ts';

/** Each release has this section: what an operator does on the upgrade, and how to go back. */
const UPGRADE = /^### Upgrade$/m;

/**
 * The section of a release in the changelog, without its title.
 * @throws {Error} if it is missing, or any release has no section `Upgrade`
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const silent = sections.filter((section) => !UPGRADE.test(section)).map((section) => section.split('\n', 1)[0]);
  if (silent.length > 0) throw new Error(`CHANGELOG.md: add a section "### Upgrade" to ${silent.join(', ')}`);
  const title = `${version} (${pep440(version)})\n`;
  const found = sections.find((section) => section.startsWith(title));
  if (found === undefined) throw new Error(`CHANGELOG.md: add a section "## ${title.trim()}"`);
  return found.slice(title.length).trim();
}
