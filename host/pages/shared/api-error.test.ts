import { expect, it } from 'vitest';
import { errorOf } from './api-error.ts';

const answer = (status: number, headers: Record<string, string> = {}) => ({ status, headers: new Headers(headers) });

it('takes code, detail and run from an error of the gateway', () => {
  const error = errorOf(answer(502, { 'x-svc-run-id': 'r1', 'x-svc-evidence': '7 sha256:0' }), {
    code: 'SVC-PROV-001',
    detail: 'SVC-PROV-001: it failed',
  });
  expect(error.receipts).toEqual({ run_id: 'r1', evidence: '7 sha256:0' });
  expect(error).toMatchObject({ status: 502, code: 'SVC-PROV-001', message: 'SVC-PROV-001: it failed.' });
});

it('says how long to wait', () => {
  const error = errorOf(answer(429, { 'retry-after': '7' }), { code: 'SVC-RATE-001', detail: 'too many requests' });
  expect(error.message).toContain('7 seconds');
  expect(errorOf(answer(503, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }), {}).message).not.toContain('NaN');
});

it('shows it once', () => {
  const detail = 'SVC-RATE-001: ask again in 7 s';
  expect(errorOf(answer(429, { 'retry-after': '7' }), { code: 'SVC-RATE-001', detail }).message).toBe(`${detail}.`);
});

it.each([null, 'text', 7, [], { code: 4, detail: null }])('names the status if the body is %j', (body) => {
  const error = errorOf(answer(500), body);
  expect(error).toMatchObject({ status: 500, code: '', receipts: { run_id: null, evidence: null } });
  expect(error.message).toContain('500');
});
