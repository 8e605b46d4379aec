import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { operations } from '../../src/service/operations.ts';
import { profileNames } from '../../src/service/profiles.ts';
import { checkAnswer } from './described-answers.ts';
import { call, start } from './reference-caller.ts';

describe.each(profileNames)('the %s service', (profile) => {
  test('describes itself, to anybody, and names what it serves', async () => {
    const service = await start({ profile });
    const { status, body } = await call(service.baseUrl, '/openapi.json', {});
    expect(status).toBe(200);
    expect(await new Validator().validate(structuredClone(body))).toEqual({ valid: true });
    expect(body.info).toMatchObject({ version: packageJson.version, description: expect.stringContaining(profile) });
    const described = Object.values(body.paths).flatMap((path) => Object.values(path as object));
    const names = described.map(({ operationId }) => operationId);
    const served = Object.keys(operations).filter((name) => profile === 'documented' || name !== 'setProvide');
    expect(names.toSorted()).toEqual(served.toSorted());
  });
});

describe('an answer', () => {
  const clients = { method: 'GET', path: '/network/clients', status: 200 };
  const stats = { method: 'GET', path: '/stats/providers', status: 200 };

  test.each<readonly [string, Parameters<typeof checkAnswer>[0], RegExp]>([
    ['of another type', { ...clients, body: { clients: [{ client_id: 7 }] } }, /clients\/0\/client_id must be string/],
    [
      'with a field of its own',
      { ...clients, body: { clients: [{ colour: 'red' }] } },
      /"additionalProperty":"colour"/,
    ],
    [
      'with another time',
      { ...stats, body: { created_time: 'yesterday' } },
      /created_time must match format "date-time"/,
    ],
    ['that is a list', { ...clients, body: [] }, /must be object/],
  ])('%s is not as it is described', (_, exchange, message) => {
    expect(() => checkAnswer(exchange)).toThrow(message);
  });

  test.each<readonly [string, Parameters<typeof checkAnswer>[0]]>([
    ['with nulls', { ...clients, body: { clients: null, error: null } }],
    ['with a time of nine digits', { ...stats, body: { created_time: '2026-01-01T00:00:00.000000000Z' } }],
    ['that failed', { ...clients, status: 500, body: { anything: 1 } }],
    ['to something else', { ...clients, path: '/metrics', body: { anything: 1 } }],
  ])('%s is left in peace', (_, exchange) => {
    expect(() => checkAnswer(exchange)).not.toThrow();
  });
});
