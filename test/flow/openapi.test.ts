import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { servedProfiles } from '../../src/reference-service/profile.ts';
import { createOpenApiDocument } from '../../src/service/openapi.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import { profileNames, profiles } from '../../src/service/profiles.ts';
import { checkAnswer } from './described-answers.ts';
import { call, start } from './reference-caller.ts';

describe.each(profileNames)('the %s service', (profile) => {
  test('describes itself, to anybody, and names what it serves', async () => {
    const service = await start({ profile });
    const { status, body } = await call(service.baseUrl, '/openapi.json', {});
    expect(status).toBe(200);
    expect(await new Validator().validate(structuredClone(body))).toEqual({ valid: true });
    expect(body.info).toMatchObject({
      version: packageJson.version,
      description: expect.stringContaining(profile),
    });
    const described = Object.values(body.paths).flatMap((path) => Object.values(path as object));
    const names = described.map(({ operationId }) => operationId);
    const served = Object.keys(operations).filter(
      (name) => !servedProfiles[profile].notServed.includes(name as OperationName),
    );
    expect(names.toSorted()).toEqual(served.toSorted());
  });
});

describe('an answer', () => {
  const clients = { method: 'GET', path: '/network/clients', status: 200 };
  const stats = { method: 'GET', path: '/stats/providers', status: 200 };

  test.each<readonly [string, Parameters<typeof checkAnswer>[0], RegExp]>([
    [
      'of another type',
      { ...clients, body: { clients: [{ client_id: 7 }] } },
      /clients\/0\/client_id must be string/,
    ],
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
    [
      'with a time of nine digits',
      { ...stats, body: { created_time: '2026-01-01T00:00:00.000000000Z' } },
    ],
    ['that failed', { ...clients, status: 500, body: { anything: 1 } }],
    ['to something else', { ...clients, path: '/metrics', body: { anything: 1 } }],
  ])('%s is left in peace', (_, exchange) => {
    expect(() => checkAnswer(exchange)).not.toThrow();
  });
});

describe('a field', () => {
  const { components, paths } = createOpenApiDocument({
    version: '1.0.0',
    profile: profiles.documented,
  });
  const find = (schema: string, field: string) =>
    JSON.stringify(components.schemas[schema]?.properties?.[field]);

  test.each([
    ['Location', 'provider_count'],
    ['Client', 'provide_mode'],
    ['WgConfig', 'wg_proxy_port'],
    ['Resident', 'resident_internal_ports'],
    ['CodeCreateResponse', 'uses'],
    ['SetProvideRequest', 'provide_mode'],
  ])('that is whole is an integer: %s.%s', (schema, field) => {
    expect(find(schema, field)).toMatch(/"integer"/);
    expect(find(schema, field)).not.toMatch(/"number"/);
  });

  test.each([
    ['Location', 'location_type', ['country', 'region', 'city']],
    ['FindProviders2Request', 'rank_mode', ['quality']],
    ['DeviceAddResponse', 'code_type', ['share', 'adopt']],
    ['UpgradeGuestRequest', 'auth_jwt_type', ['google', 'apple', 'un']],
  ])('of few values names them: %s.%s', (schema, field, values) => {
    expect(find(schema, field)).toContain(`"enum":${JSON.stringify(values)}`);
  });

  test.each(profileNames)('for a provide mode names the numbers of the profile: %s', (name) => {
    const profile = profiles[name];
    const { SetProvideRequest } = createOpenApiDocument({ version: '1.0.0', profile }).components
      .schemas;
    expect(SetProvideRequest?.properties?.provide_mode).toMatchObject({
      enum: Object.values(profile.modeNumbers),
    });
  });

  test.each([
    ['CodeCreateRequest', 'uses'],
    ['FindProvidersRequest', 'count'],
    ['FindProviders2Request', 'count'],
  ])('that counts what is asked for begins at 1: %s.%s', (schema, field) => {
    expect(find(schema, field)).toContain('"minimum":1,');
  });

  test('of an answer that is not as it should be is taken all the same', () => {
    const { response } = operations.findLocations;
    const body = {
      locations: [{ location_type: 'continent', provider_count: 1.5 }],
      groups: [],
      specs: [],
    };
    expect(response.parse(body).locations[0]).toMatchObject(body.locations[0] ?? {});
  });

  test('failures have a description of their own', () => {
    const all = Object.values(paths).flatMap((path) => Object.values(path));
    for (const { responses } of all) expect(Object.keys(responses)).toEqual(['200', '4XX', '5XX']);
  });
});
