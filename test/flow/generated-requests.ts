import fc from 'fast-check';
import { createOpenApiDocument } from '../../src/service/openapi.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import { profiles } from '../../src/service/profiles.ts';
import type { World } from './generated-world.ts';

/** A request as it goes out. */
export interface GeneratedRequest {
  readonly name: OperationName;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly authorization: string | undefined;
  /** False where the authorization is nobody's. */
  readonly hasGoodToken: boolean;
}

/** Operations of which a generated request is hardly ever good: they end what others began. */
export const neverGood: ReadonlySet<OperationName> = new Set([
  'passwordLogin',
  'confirmAdopt',
  'confirmShare',
  'verify',
]);

type Schema = Readonly<Record<string, unknown>>;

const { components } = createOpenApiDocument({ version: 'test', profile: profiles.documented });

/** Requests to every operation: most of them nearly right, some of them not at all. */
export function arbitraryRequest(world: World): fc.Arbitrary<GeneratedRequest> {
  const names = Object.keys(operations) as OperationName[];
  return fc.constantFrom(...names).chain((name) => {
    const known = { ...world.known, ...world.knownTo[name] };
    return arbitraryRequestTo(name, { ...world, known });
  });
}

function arbitraryRequestTo(name: OperationName, world: World): fc.Arbitrary<GeneratedRequest> {
  const { path, method, authentication } = operations[name];
  const good = `Bearer ${authentication === 'guest-jwt' ? world.guestToken : world.token}`;
  const ofClient = `Bearer ${world.clientToken}`;
  // The service renews the token of a client alone.
  const usual = name === 'refreshToken' ? ofClient : good;
  const letsIn = authentication === 'any-jwt' ? [good, ofClient] : [good];
  return fc
    .record({
      name: fc.constant(name),
      method: mostly(
        fc.constant<string>(method),
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
      ),
      path: mostly(
        fc.constant<string>(path),
        fc.constantFrom(`${path}/`, `${path}?limit=1`, `/${path}`, `${path}%00`),
      ),
      body:
        operations[name].request === undefined
          ? fc.constant(undefined)
          : arbitraryBody(name, world),
      authorization: mostly(
        fc.constant(usual),
        fc.oneof(
          fc.constant(undefined),
          fc.constantFrom(...world.worthless, ofClient),
          hostileHeader,
        ),
      ),
    })
    .map((request) => ({ ...request, hasGoodToken: letsIn.includes(request.authorization ?? '') }));
}

function arbitraryBody(name: OperationName, world: World): fc.Arbitrary<string | undefined> {
  const schema = resolve({
    $ref: `#/components/schemas/${name.slice(0, 1).toUpperCase()}${name.slice(1)}Request`,
  });
  const toText = (value: unknown) => JSON.stringify(value);
  return fc.oneof(
    { weight: 6, arbitrary: arbitraryValue(schema, world, 'tame').map(toText) },
    { weight: 3, arbitrary: arbitraryValue(schema, world, 'wild').map(toText) },
    { weight: 1, arbitrary: fc.oneof(fc.constantFrom(...noRequests), fc.json()) },
  );
}

/**
 * `tame`: of the schema's types, and most of it known to the service. `wild`: whatever JSON can
 * say.
 */
type Manner = 'tame' | 'wild';

function arbitraryValue(
  given: Schema,
  world: World,
  manner: Manner,
  field = '',
): fc.Arbitrary<unknown> {
  const schema = resolve(given);
  const choices = listChoices(schema).map((one) =>
    arbitraryRight(resolve(one), world, manner, field),
  );
  // The first of several is what is meant, the last is null.
  const right = fc.oneof({ weight: 30, arbitrary: choices[0] ?? fc.constant(null) }, ...choices);
  if (manner === 'tame') return right;
  return fc.oneof(
    { weight: 5, arbitrary: right },
    { weight: 2, arbitrary: anything },
    fc.constant(null),
  );
}

function listChoices(schema: Schema): readonly Schema[] {
  if (Array.isArray(schema.anyOf)) return schema.anyOf;
  return Array.isArray(schema.type)
    ? schema.type.map((type: string) => ({ ...schema, type }))
    : [schema];
}

function arbitraryRight(
  schema: Schema,
  world: World,
  manner: Manner,
  field: string,
): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (schema.type === 'null') return fc.constant(null);
  const known = world.known[field] ?? [];
  if (schema.type === 'string')
    return mostlyKnown(known, fc.constantFrom(...world.words), hostileText);
  if (schema.type === 'boolean') return mostlyKnown(known, fc.boolean());
  if (schema.type === 'integer' || schema.type === 'number')
    return manner === 'tame' ? mostlyKnown(known, sensible) : number;
  if (schema.type === 'array') {
    const item = arbitraryValue(schema.items as Schema, world, manner, field);
    const list = fc.array(item, { maxLength: manner === 'tame' ? 4 : 50 });
    return world.known[field]?.length === 0 ? mostly(fc.constant<unknown[]>([]), list) : list;
  }
  if (schema.properties === undefined) return fc.dictionary(fc.string(), anything);
  return arbitraryObject(schema, world, manner);
}

function arbitraryObject(schema: Schema, world: World, manner: Manner): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties as Record<string, Schema>).map(
    ([field, inner]) => [field, arbitraryValue(inner, world, manner, field)] as const,
  );
  const requiredKeys = manner === 'tame' && Array.isArray(schema.required) ? schema.required : [];
  const known = fc.record(Object.fromEntries(fields), { requiredKeys });
  const unknown = fc.constantFrom(
    '{}',
    '{"constructor": {}}',
    '{"__proto__": {"network_id": "x"}}',
    '{"limit": -1}',
  );
  return fc.tuple(known, unknown).map(([record, more]) => Object.assign(JSON.parse(more), record));
}

function resolve(schema: Schema): Schema {
  const name = typeof schema.$ref === 'string' ? (schema.$ref.split('/').at(-1) ?? '') : undefined;
  return name === undefined ? schema : (components.schemas[name] as Schema);
}

function mostly<T, U>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 14, arbitrary: usual }, { weight: 1, arbitrary: other });
}

/** Mostly what the service knows, or the usual where it knows nothing of this field. */
function mostlyKnown(
  known: readonly unknown[],
  usual: fc.Arbitrary<unknown>,
  other = usual,
): fc.Arbitrary<unknown> {
  return mostly(known.length === 0 ? usual : fc.constantFrom(...known), other);
}

const sensible = fc.oneof(fc.integer({ min: -2, max: 30 }), fc.constantFrom(0.5, 90, 1000));

const number = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    -1,
    1.5,
    1e308,
    -1e308,
    5e-324,
    2 ** 31,
    2 ** 53,
    2 ** 63,
    Number.MAX_SAFE_INTEGER,
  ),
  fc.double(),
  fc.integer(),
);

const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '\u202e',
    "' or 1=1 --",
    '"; drop table client; --',
    '%00',
    '*',
    '%',
    '../../etc/passwd',
    '$(id)',
    '__proto__',
    'NaN',
    '-1',
    'null',
    'x'.repeat(300),
    'x'.repeat(100_000),
    'é'.repeat(2000),
    '👩‍👩‍👧'.repeat(50),
    'a\nb\r\nc',
  ),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.uuid(),
);

const anything = fc.oneof(hostileText, number, fc.boolean(), fc.jsonValue({ maxDepth: 2 }));

/** What a header may hold, and no token. */
const hostileHeader = fc
  .string({ unit: 'grapheme-ascii', maxLength: 60 })
  .map((text) => `Bearer ${text}`.trim())
  .filter((text) => /^[\x20-\x7e]+$/.test(text));

const noRequests = [
  undefined,
  '',
  ' ',
  'not JSON',
  '[]',
  'null',
  'true',
  '7',
  '"text"',
  '{"client_id":',
  '{"client_id": "a"} {}',
  '{"a": 1e999}',
  '['.repeat(20_000),
  `{"description": "${'x'.repeat(1024 ** 2)}"}`,
  '\ufeff{}',
];
