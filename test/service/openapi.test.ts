import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { createOpenApiDocument } from '../../src/service/openapi.ts';
import type { Operation } from '../../src/service/operation.ts';
import { operations } from '../../src/service/operations.ts';
import { profileNames, profiles } from '../../src/service/profiles.ts';

const document = createOpenApiDocument({ version: '1.2.3', profile: profiles.documented });

/**
 * Every field of a schema, however deep, with the schema's name and what the document says of it.
 */
function listFields(owner: string, node: unknown): readonly (readonly [string, string, unknown])[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    const fields =
      key === 'properties'
        ? Object.entries(value as Record<string, { description?: unknown }>)
        : [];
    const own = fields.map(([field, { description }]) => [owner, field, description] as const);
    return [...own, ...listFields(owner, value)];
  });
}

const fields = Object.entries(document.components.schemas).flatMap(([owner, schema]) =>
  listFields(owner, schema),
);

/** Places that something in the document points to. */
function listReferences(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = '$ref' in node ? [String(node.$ref)] : [];
  return [...own, ...Object.values(node).flatMap(listReferences)];
}

/** Tokens, of which any one is enough. */
const tokensOf = {
  none: [],
  'any-jwt': ['network-jwt', 'client-jwt'],
  'network-jwt': ['network-jwt'],
  'guest-jwt': ['guest-jwt'],
} as const;

describe('the description of the interface', () => {
  it.each(profileNames)('is OpenAPI (%s)', async (name) => {
    const options = {
      version: '1.2.3',
      profile: profiles[name],
      baseUrl: 'https://service.example/api',
    };
    const text = JSON.stringify(createOpenApiDocument(options));
    expect(await new Validator().validate(JSON.parse(text))).toEqual({ valid: true });
  });

  it.each(Object.entries<Operation>(operations))(
    'has %s as the table has it',
    (name, operation) => {
      const described = document.paths[operation.path]?.[operation.method.toLowerCase()];
      expect(described).toMatchObject({ operationId: name, 'x-retry': operation.repeat });
      const tokens = tokensOf[operation.authentication].map((token) => ({ [token]: [] }));
      // It answers with a network's own devices to the network.
      expect(described?.security).toEqual(
        name === 'providerLocations' ? [{}, { 'network-jwt': [] }] : tokens,
      );
      expect(described?.requestBody === undefined).toBe(operation.request === undefined);
    },
  );

  it('has no other operation, and leaves out what is not served', () => {
    const list = (paths: object) => Object.values(paths).flatMap((path) => Object.values(path));
    expect(list(document.paths)).toHaveLength(Object.keys(operations).length);
    const notServed = ['setProvide', 'payoutWallet'] as const;
    const less = createOpenApiDocument({ version: '1', profile: profiles.production, notServed });
    expect(less.paths['/device/set-provide']).toBeUndefined();
    expect(Object.keys(less.paths['/account/payout-wallet'] ?? {})).toEqual(['post']);
    expect(list(less.paths)).toHaveLength(Object.keys(operations).length - 2);
  });

  it('says the modes of its profile', () => {
    expect(document.info).toMatchObject({
      version: '1.2.3',
      description: expect.stringContaining('public 4'),
    });
    const production = createOpenApiDocument({ version: '1', profile: profiles.production });
    expect(production.info.description).toContain('public 3');
  });

  it('points to nothing that is not there', () => {
    const places = [...new Set(listReferences(document))];
    expect(places).toContain('#/components/schemas/WgConfig');
    const isThere = (place: string) =>
      place
        .slice(2)
        .split('/')
        .reduce<unknown>(
          (node, key) => (node as Record<string, unknown> | undefined)?.[key],
          document,
        ) !== undefined;
    expect(places.filter((place) => !isThere(place))).toEqual([]);
    const named = Object.keys(document.components.schemas).map(
      (name) => `#/components/schemas/${name}`,
    );
    expect(named.filter((place) => !places.includes(place))).toEqual([]);
  });
});

describe('the error of an answer', () => {
  it.each(Object.entries<Operation>(operations))(
    'has the limits that %s may meet, and no other',
    (name, { method, path }) => {
      const limits: Readonly<Record<string, string>> = {
        authClient: 'ClientFailure',
        codeCreate: 'CodeFailure',
      };
      const { $ref } =
        document.paths[path]?.[method.toLowerCase()]?.responses[200].content['application/json']
          .schema ?? {};
      const { error } =
        document.components.schemas[$ref?.split('/').at(-1) ?? '']?.properties ?? {};
      expect(listReferences(error)).toEqual([`#/components/schemas/${limits[name] ?? 'Failure'}`]);
    },
  );
});

describe('the meanings of the fields', () => {
  it('are all written down', () => {
    expect(fields.length).toBeGreaterThan(150);
    expect(fields.filter(([, , description]) => description === undefined)).toEqual([]);
  });
});

describe('the list of an answer', () => {
  it.each(Object.entries<Operation>(operations))(
    'of %s is named where the answer is one list',
    (_, row) => {
      // What is absent is read as an empty list or an empty map.
      const [[field, empty] = [], ...others] = Object.entries(
        row.response.parse({}) as object,
      ).filter(([, value]) => value !== undefined);
      expect(row.list).toBe(others.length === 0 && Array.isArray(empty) ? field : undefined);
    },
  );
});
