import { type Html, html } from '../written-page/html.ts';
import { minute, pageText, tiles } from '../written-page/page-text.ts';
import type { Check } from './check-pack.ts';
import type { PackFacts } from './facts.ts';
import { FILES } from './files.ts';
import { FRAMEWORKS, type ShownState, STATES } from './requirement.ts';
import { type Requirement, requirementsOf } from './requirements.ts';

const STATE_NAMES: Readonly<Record<ShownState, string>> = { not_shown: 'Not shown', partly: 'Partly', shown: 'Shown' };

/** What each file is, in the order of the page. */
const CONTENTS: readonly (readonly [name: string, what: string])[] = [
  [FILES.records, 'The records of the ledger, byte for byte: from the last run before the period to the first run after it.'],
  [FILES.approvals, 'Pauses, decisions, escalations and expiries, one per line. Computed from the records.'],
  [FILES.digests, 'Digests of contents and configurations, by run. Computed from the records.'],
  [FILES.inventory, 'The routes with their models and guards at the beginning of the period, and each change.'],
  [FILES.operations, 'The operations log, from its first record until the end of the last run.'],
  [FILES.sessions, 'The signed export of each session. It includes the runs of the session outside the period.'],
  [FILES.checkpoint, 'The signed head of the ledger.'],
  [FILES.cosigned, 'A checkpoint with the cosignatures of witnesses.'],
  [FILES.timestamped, 'A checkpoint with a time stamp.'],
  [FILES.timestamp, 'The token of the time-stamp authority (RFC 3161).'],
  [FILES.consistency, 'Proofs that the newest checkpoint continues the earlier ones.'],
  [FILES.requirements, 'The table above, with the facts that it is computed from.'],
  [FILES.reportPage, 'A report on the runs that were created in the period. Not signed.'],
  [FILES.runs, 'The list of these runs, including those that have not ended. Not signed.'],
  [FILES.keys, 'The public keys of the ledger, as the gateway returned them.'],
  [FILES.verifier, 'The program that verifies this pack.'],
  [FILES.sums, 'The digest of every file.'],
];

export interface PackPage {
  readonly facts: PackFacts;
  /** Of the records and proofs, under the keys in the pack. */
  readonly checks: readonly Check[];
  /** The files of the pack. */
  readonly names: ReadonlySet<string>;
  readonly css: string;
  /** Of the command that wrote the pack. */
  readonly release: string;
}

/** The first page of a pack. The verifier computes it again. */
export function packPage({ facts, checks, names, css, release }: PackPage): string {
  const { ledger, from, to } = facts;
  const requirements = requirementsOf(facts);
  return pageText({
    css,
    release,
    title: 'Evidence pack',
    heading: 'Evidence pack',
    about: html`Runs of the gateway <strong>${ledger.origin}</strong> that ended from ${moment(from)} until ${moment(to)}. Prompts and answers are not included.`,
    content: html`${tiles(tilesOf(facts, requirements))}
${verifySection()}
${requirementSection(requirements)}
${checkSection(checks)}
${fileSection(names)}
${limitSection()}`,
    footer: html`<p>Written by <code>svc evidence pack --from ${from} --to ${to}</code>. This page works offline.</p>`,
  });
}

/** A time, ISO 8601; midnight as a date. */
function moment(time: string): Html {
  return time.endsWith('T00:00:00.000Z') ? html`<time>${time.slice(0, 10)}</time>` : minute(time);
}

function tilesOf({ runs, operations, sessions }: PackFacts, requirements: readonly Requirement[]): Parameters<typeof tiles>[0] {
  const missing = requirements.filter(({ state }) => state === 'not_shown').length;
  return [
    { name: 'Runs', value: runs.ended },
    { name: 'Decisions', value: runs.decisions },
    { name: 'Sessions', value: sessions },
    { name: 'Operations', value: operations.all },
    { name: 'Requirements not shown', value: missing, isBad: missing > 0 },
  ];
}

function section(id: string, title: string, content: Html): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;
}

function verifySection(): Html {
  return section(
    'verify',
    'Verify it yourself',
    html`<p>Unpack the archive on a computer with Node 22.19 or newer. In its folder, run:</p>
<pre><code>node verify.mjs --key "VKEY"</code></pre>
<p>VKEY is the public key of the ledger. Get it from the operator through another channel. Without <code>--key</code>, the program uses the keys in this pack, so it cannot detect a ledger that the operator signed with a different key. <code>--policy</code> and <code>--tsa-ca</code> do the same for witnesses and the time-stamp authority. The program uses no network. Its exit code is 0 if the pack is valid. Otherwise it is 1, and the output shows what is broken.</p>
<p><code>sha256sum -c SHA256SUMS</code> checks only the files. <code>openssl ts -verify</code> checks the time stamp.</p>`,
  );
}

function requirementSection(requirements: readonly Requirement[]): Html {
  const groups = STATES.flatMap((state) => {
    const rows = requirements.filter((row) => row.state === state);
    if (rows.length === 0) return [];
    return html`<h3 id="${state}"><span class="chip ${state}">${STATE_NAMES[state]}</span> ${rows.length}</h3>
<ul class="rows">${rows.map(requirementRow)}</ul>`;
  });
  return section(
    'requirements',
    'Requirements',
    html`<p>Requirements that the records do not show come first. The verifier computes this page again from the records. The topics are summaries: read the requirements at their source.</p>
${overview(requirements)}
${groups}`,
  );
}

/** How many requirements of each framework are in each state. */
function overview(requirements: readonly Requirement[]): Html {
  const count = (framework: string, state: ShownState): number =>
    requirements.filter((row) => row.framework === framework && row.state === state).length;
  const heads = STATES.map((state) => html`<th scope="col">${STATE_NAMES[state]}</th>`);
  const rows = FRAMEWORKS.map(
    (name) => html`<tr><th scope="row">${name}</th>${STATES.map((state) => html`<td>${count(name, state)}</td>`)}</tr>`,
  );
  return html`<table class="overview"><thead><tr><th scope="col">Requirements of</th>${heads}</tr></thead><tbody>${rows}</tbody></table>`;
}

function requirementRow({ framework, id, topic, why, command, file }: Requirement): Html {
  const source = file === null ? html`<span class="muted">no file</span>` : html`<a href="${file}">${file}</a>`;
  return html`<li>
<p class="id">${id}<small>${framework}</small></p>
<div><h4>${topic}</h4>
<p>${why}</p></div>
<p class="source">${source}<code>${command}</code></p>
</li>`;
}

function checkSection(checks: readonly Check[]): Html {
  const rows = checks.map(({ name, text }) => html`<dt>${name}</dt><dd>${text}</dd>`);
  return section('checks', 'Verified when this pack was written', html`<dl class="facts">${rows}</dl>`);
}

function fileSection(names: ReadonlySet<string>): Html {
  const rows = CONTENTS.filter(([name]) => names.has(name)).map(
    ([name, what]) => html`<dt><a href="${name}">${name}</a></dt><dd>${what}</dd>`,
  );
  return section('files', 'Files', html`<dl class="facts files">${rows}</dl>`);
}

function limitSection(): Html {
  const limits = [
    'Prompts and answers: the pack has only digests, codes, names and counts, and the reasons that operators gave for their changes. No option adds recorded content.',
    'Proof that the records are true: the ledger shows only whether they were changed after they were written.',
    'Requests that did not go through the gateway.',
    'A signature for the report and the verifier. SHA256SUMS has their digests; compare the digest of SHA256SUMS with the one that the operator gave you. A forged pack can contain a program that accepts it, so use the verifier of a pack that you trust.',
  ];
  return section(
    'limits',
    'What is not in this pack',
    html`<ul class="limits">${limits.map((limit) => html`<li>${limit}</li>`)}</ul>`,
  );
}
