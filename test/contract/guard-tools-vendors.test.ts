import type { JsonObject } from '@svc/contracts';
import { anthropic, type Behaviour, responses } from '@svc/sdk/testing';
import { toolDigest } from '@svc/toolkit/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';

/** Tools that a vendor runs, through a gateway: MCP servers, what they list, and skills. */
const READ = { name: 'read', description: 'Reads.', input_schema: { type: 'object' } };
const CHANGED = { ...READ, description: 'Reads. MARKER-CHANGED' };
const PUSH = { name: 'push', description: 'MARKER-PUSH', input_schema: { type: 'object' } };
const PINNED = toolDigest({
  definition: { kind: 'mcp', name: 'hub/read', description: READ.description, parameters: READ.input_schema },
});
const PIN = { 'mcp:hub/read': [`sha256:${PINNED}`] };
const RULES: JsonObject[] = [
  { name: 'hub', mcp: ['hub', 'hub/read'], action: 'allow' },
  { name: 'skills', vendor_tools: ['code_execution', 'skill/anthropic/*'], action: 'allow' },
];
const PACKS: Record<string, JsonObject> = {
  tools: { rules: RULES, pins: PIN },
  lists: { type: 'tools', rules: RULES, offered: 'withhold' },
  asks: { type: 'tools', rules: RULES, pins: PIN, changed_pin: 'require_approval' },
};

interface Vendor {
  readonly name: string;
  readonly provider: JsonObject;
  readonly path: string;
  readonly request: JsonObject;
  /** An answer that lists these tools of the server, calls one, and says a text. */
  answer(listed: readonly JsonObject[], called?: string): Behaviour;
}

const items: Vendor = {
  name: 'responses',
  provider: { type: 'openai', api: 'responses' },
  path: '/v1/responses',
  request: {
    input: 'Go.',
    tools: [{ type: 'mcp', server_label: 'hub', server_url: 'https://hub.example', require_approval: 'never' }],
  },
  answer: (tools, called) =>
    responses.answer({
      output: [
        { id: 'l_1', type: 'mcp_list_tools', server_label: 'hub', tools },
        ...(called === undefined
          ? []
          : [
              {
                id: 'c_1',
                type: 'mcp_call',
                server_label: 'hub',
                name: called,
                arguments: '{}',
                output: 'read',
                status: 'completed',
              },
            ]),
        {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Done.', annotations: [], logprobs: [] }],
        },
      ],
    }),
};

const blocks: Vendor = {
  name: 'messages',
  provider: { type: 'anthropic', api_key: 'k' },
  path: '/v1/messages',
  request: {
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Go.' }],
    tools: [{ type: 'mcp_toolset', mcp_server_name: 'hub' }],
    mcp_servers: [{ type: 'url', name: 'hub', url: 'https://hub.example' }],
  },
  answer: (tools, called) =>
    anthropic.answer({
      content: [
        { type: 'mcp_tool_listing', mcp_server_name: 'hub', tools },
        ...(called === undefined
          ? []
          : [
              { type: 'mcp_tool_use', id: 'm_1', name: called, server_name: 'hub', input: {} },
              { type: 'mcp_tool_result', tool_use_id: 'm_1', is_error: false, content: [{ type: 'text', text: 'read' }] },
            ]),
        { type: 'text', text: 'Done.' },
      ],
    }),
};

describe.each([items, blocks])('tools that the vendor of $name runs', (vendor) => {
  let upstream: Upstream;
  let gateway: TestGateway;
  let behave: Behaviour;
  beforeAll(async () => {
    upstream = await startUpstream((request, response) => behave(request, response));
    const base_url = vendor.provider.type === 'openai' ? upstream.url : new URL(upstream.url).origin;
    const routes = Object.keys(PACKS).map((name) => [
      name,
      {
        provider: 'up',
        model: 'm-1',
        vendor_tools: ['mcp', 'mcp_toolset', 'code_execution'],
        pipeline: { ingress: [name], egress: [name] },
      },
    ]);
    gateway = await TestGateway.start({
      here: true,
      config: {
        providers: { up: { ...vendor.provider, base_url } },
        packs: PACKS,
        approvals: { reuse_for: 0 },
        routes: Object.fromEntries(routes),
      },
    });
  });
  afterAll(async () => {
    await gateway.dispose();
    await upstream.close();
  });

  async function ask(model: string, stream: boolean, behaviour: Behaviour, more: JsonObject = {}) {
    behave = behaviour;
    const before = upstream.requests.length;
    const { text, headers } = await gateway.post(vendor.path, { model, stream, ...vendor.request, ...more });
    const { status, events } = (await gateway.get(`/v1/runs/${String(headers.get('x-svc-run-id'))}`)).body;
    const verdicts = events
      .filter(({ node, event_type }: JsonObject) => node === model && event_type === 'verdict')
      .map(({ stage, data }: JsonObject) => `${stage} ${Object(data).verdict} ${Object(data).code}`);
    expect(JSON.stringify(events)).not.toContain('MARKER');
    return { text, status, verdicts, events, reached: upstream.requests.slice(before).map(({ body }) => body) };
  }

  describe.each([false, true])('streamed: %s', (stream) => {
    it('a list of allowed tools is no call, and reaches the caller', async () => {
      const { status, verdicts, text } = await ask('tools', stream, vendor.answer([READ]));
      expect([status, verdicts]).toEqual(['completed', ['ingress allow tools', 'egress allow tools']]);
      expect(text).toContain(READ.description);
      expect(text).toContain('Done.');
    });

    it('a listed definition that differs from its pin is blocked, with its digest in the evidence', async () => {
      const { status, verdicts, text, events } = await ask('tools', stream, vendor.answer([CHANGED]));
      expect([status, verdicts.at(-1)]).toEqual(['blocked', 'egress block changed-pin']);
      expect(text).not.toContain('MARKER');
      const changed = { kind: 'mcp', name: 'hub/read', description: CHANGED.description, parameters: CHANGED.input_schema };
      expect(JSON.stringify(events)).toContain(toolDigest({ definition: changed }));
    });

    it('a listed definition that differs from its pin pauses the run', async () => {
      const { status, verdicts } = await ask('asks', stream, vendor.answer([CHANGED]));
      expect([status, verdicts.at(-1)]).toEqual(['paused', 'egress require_approval changed-pin']);
    });

    it('a denied tool may not be listed, or may be listed and not called', async () => {
      const list = [READ, PUSH];
      const blocked = await ask('tools', stream, vendor.answer(list));
      expect([blocked.status, blocked.verdicts.at(-1)]).toEqual(['blocked', 'egress block default']);
      expect(blocked.text).not.toContain('MARKER');
      const called = await ask('lists', stream, vendor.answer(list, 'read'));
      expect([called.status, called.verdicts.at(-1)]).toEqual(['completed', 'egress allow tools']);
      const denied = await ask('lists', stream, vendor.answer(list, 'push'));
      expect([denied.status, denied.verdicts.at(-1)]).toEqual(['blocked', 'egress block default']);
    });

    if (vendor === blocks)
      it('a skill that no rule allows is blocked or withheld', async () => {
        const skills = [
          { type: 'anthropic', skill_id: 'pdf', version: 'latest' },
          { type: 'custom', skill_id: 'skill_MARKER', version: '3' },
        ];
        const tools = [{ type: 'code_execution_20250825', name: 'code_execution' }];
        const offer = { container: { skills }, tools, mcp_servers: null };
        const blocked = await ask('tools', stream, vendor.answer([]), offer);
        expect([blocked.status, blocked.verdicts, blocked.reached]).toEqual(['blocked', ['ingress block default'], []]);
        const withheld = await ask('lists', stream, vendor.answer([]), offer);
        expect([withheld.status, withheld.verdicts[0]]).toEqual(['completed', 'ingress sanitize default']);
        expect(withheld.reached).toMatchObject([{ container: { skills: [skills[0]] }, tools }]);
      });
  });
});
