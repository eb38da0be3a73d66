import { type JsonObject, OPERATION_ACTIONS } from '@svc/contracts';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { ledgerEvent } from './ledger-event.ts';
import { ocsfOf } from './ocsf.ts';
import { call, inventoryRecord, LEDGER, operationRecord, recordOf, runRecord, verdict } from './test-records.ts';

const text = Type.String({ minLength: 1 });
const count = Type.Integer({ minimum: 0 });
const of = (required: Parameters<typeof Type.Object>[0], optional: Parameters<typeof Type.Object>[0] = {}) =>
  Type.Object(
    { ...required, ...Object.fromEntries(Object.entries(optional).map(([key, schema]) => [key, Type.Optional(schema)])) },
    {
      additionalProperties: false,
    },
  );
const service = of({ name: text }, { version: text });
const user = of({ name: text }, { uid: text, type: text, type_id: Type.Enum([0, 1, 2, 3, 4, 99]) });

/**
 * The attributes that these events have, with the requirements and types of API Activity in OCSF 1.9.0 and of the profiles. An attribute that the class
 * does not have is an error.
 */
const ApiActivity = of(
  {
    activity_id: Type.Enum([0, 1, 2, 3, 4, 99]),
    actor: of({ user }, { session: of({ uid: text }) }),
    api: of({ operation: text }, { service, request: of({ uid: text }) }),
    category_uid: Type.Literal(6),
    class_uid: Type.Literal(6003),
    metadata: of(
      {
        version: Type.Literal('1.9.0'),
        product: of({ name: text, vendor_name: text, version: text }),
        profiles: Type.Array(text),
      },
      {
        ...{ uid: text, original_event_uid: text, sequence: count, event_code: text, log_name: text, log_provider: text },
        ...{ original_time: text, correlation_uid: text },
      },
    ),
    severity_id: Type.Enum([1, 2, 3, 4]),
    src_endpoint: of({}, { name: text, svc_name: text }),
    time: Type.Integer({ minimum: 0 }),
    type_uid: Type.Integer(),
    unmapped: Type.Object({ ledger_id: text, seq: count, hash: text, prev_hash: Type.String() }),
  },
  {
    ...{ activity_name: text, category_name: text, class_name: text, type_name: text, severity: text, message: text },
    ...{ status_id: Type.Enum([1, 2]), status: text, status_code: text, status_detail: text },
    resources: Type.Array(of({ type: text, name: text })),
    ai_model: of({ ai_provider: text, name: text }, { version: text }),
    message_context: of(
      { uid: text, service, ai_role_id: Type.Literal(2) },
      {
        ai_role: text,
        name: text,
        application: of({ name: text }),
        prompt_tokens: count,
        completion_tokens: count,
        total_tokens: count,
      },
    ),
    ...{
      action_id: Type.Enum([0, 1, 2, 3, 4]),
      action: text,
      disposition_id: Type.Enum([1, 2, 8, 11, 25, 27]),
      disposition: text,
    },
    policy: of({ name: text, uid: text, is_applied: Type.Boolean() }),
    is_alert: Type.Boolean(),
  },
);

function ocsf(...record: Parameters<typeof ledgerEvent>): JsonObject {
  const event = ocsfOf(ledgerEvent(...record));
  expect([...Value.Errors(ApiActivity, event)]).toEqual([]);
  expect(event.type_uid).toBe(6003 * 100 + Number(event.activity_id));
  // `at_least_one` of the object network_endpoint.
  expect(Object.keys(event.src_endpoint as object).length).toBeGreaterThan(0);
  return event;
}

const mask = verdict('mask', 'sanitize', 'masked', [{ entity_type: 'IBAN_CODE', count: 1 }]);
const pause = verdict('policy', 'require_approval', 'wire');
const block = verdict('policy', 'block', 'wire');

describe('a run as OCSF', () => {
  it.each<[string, JsonObject[], object]>([
    ['completed', [], { severity_id: 1, status_id: 1, action_id: 1, disposition_id: 1, is_alert: false }],
    ['completed', [mask], { severity_id: 2, status_id: 1, action_id: 4, disposition_id: 11, is_alert: false }],
    ['completed', [mask, pause], { severity_id: 2, status_id: 1, action_id: 1, disposition_id: 8, is_alert: false }],
    ['blocked', [mask, block], { severity_id: 3, status_id: 2, action_id: 2, disposition_id: 2, is_alert: true }],
    ['denied', [pause], { severity_id: 3, status_id: 2, action_id: 2, disposition_id: 25, is_alert: true }],
    ['error', [], { severity_id: 4, status_id: 2, action_id: 0, disposition_id: 27, is_alert: false }],
  ])('that is %s has its decision: %j', (status, events, expected) => {
    expect(ocsf(LEDGER, runRecord({ status, events }))).toMatchObject({ ...expected, status_code: status, activity_id: 99 });
  });

  it('has the caller, the model and the tokens of all calls', () => {
    const fields = {
      ...{
        client: 'codex',
        session: { id: 's-1', number: 1, prev_hash: 'genesis' },
        events: [call('a', 'm-0', 1, 2), mask, call('b', 'm-1', 3, 4)],
      },
      approver: { principal_id: 'bob', decision: 'approved', at: '2026-01-05T09:00:00.800Z' },
    };
    expect(ocsf(LEDGER, runRecord(fields))).toMatchObject({
      time: 1_767_603_600_900,
      actor: { user: { uid: 'alice' }, session: { uid: 's-1' } },
      src_endpoint: { svc_name: 'codex' },
      ai_model: { ai_provider: 'b', name: 'm-1' },
      message_context: { prompt_tokens: 4, completion_tokens: 6, total_tokens: 10, application: { name: 'codex' } },
      policy: { name: 'mask', uid: 'masked' },
      metadata: {
        profiles: ['ai_operation', 'security_control'],
        sequence: 42,
        uid: runRecord().hash,
        event_code: 'run.completed',
      },
      unmapped: { ledger_id: LEDGER, seq: 42, findings: { IBAN_CODE: 1 }, approver: 'bob', region: 'eu' },
    });
  });

  it('says why it failed', () => {
    const error = { event_type: 'error', stage: 'execute', node: '', data: { code: 'SVC-PROV-001' } };
    expect(ocsf(LEDGER, runRecord({ status: 'error', events: [error] }))).toMatchObject({ status_detail: 'SVC-PROV-001' });
    const left = { event_type: 'disconnected', stage: 'execute', node: '', data: {} };
    expect(ocsf(LEDGER, runRecord({ status: 'error', events: [left] }))).toMatchObject({ status_detail: 'disconnected' });
  });
});

it.each([
  [inventoryRecord(), { activity_id: 99, ai_model: { ai_provider: 'Example', name: 'm-1', version: '3' } }],
  [
    operationRecord('key.created'),
    { activity_id: 1, actor: { user: { uid: 'root' } }, resources: [{ type: 'key', name: 'key-1' }] },
  ],
  [operationRecord('state.changed', { reason: 'why' }), { activity_id: 3, unmapped: { reason: 'why' } }],
  [operationRecord('content.erased', { actor: { principal_id: null } }), { activity_id: 4, actor: { user: { type_id: 3 } } }],
  [operationRecord('of.later'), { activity_id: 99 }],
  [recordOf({ record_type: 'of_later' }), { activity_id: 99, time: 0 }],
  [
    recordOf({ record_type: 'run_evidence', events: [null, 1, { data: [] }, { data: { verdict: 7 } }] }),
    { status_code: 'unknown' },
  ],
])('any record is an event of the class: %j', (record, expected) => {
  expect(ocsf(LEDGER, record)).toMatchObject(expected);
});

it.each(OPERATION_ACTIONS)('the operation %s has an activity', (action) => {
  expect(ocsf(LEDGER, operationRecord(action))).toMatchObject({ api: { operation: action }, metadata: { event_code: action } });
});
