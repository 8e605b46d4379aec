import * as z from 'zod';
import { findFormat, findMeaning } from './field-meanings.ts';
import type { Operation } from './operation.ts';
import { wallet } from './schemas/account.ts';
import { sharedDevice } from './schemas/device.ts';
import { location, locationGroup, providerSpec, providerSpecRequest } from './schemas/discovery.ts';
import { client, connection, proxyClient, proxyConfigResult, resident, wgConfig } from './schemas/network.ts';
import { reliabilityWindow } from './schemas/reliability.ts';
import { earner, providerStatsResponse, providersResponse, providerWindow } from './schemas/stats.ts';
import { failure } from './schemas/wire.ts';

/** Wire schemas in JSON schema, under names of their own. */
export interface NamedSchemas {
  readonly schemas: Readonly<Record<string, object>>;
  /** How the document points to a schema of a request or an answer. */
  toReference(schema: z.ZodType): Reference;
}

/** A pointer into the document. */
export interface Reference {
  readonly $ref: string;
}

/** Every schema of these operations, each field with its meaning. */
export function nameSchemas(rows: readonly (readonly [string, Operation])[]): NamedSchemas {
  const names = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(shared)) names.add(schema, { id });
  for (const [name, { request, response }] of rows) {
    const start = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
    if (request !== undefined) names.add(request, { id: `${start}Request` });
    if (!names.has(response)) names.add(response, { id: `${start}Response` });
  }
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas } = z.toJSONSchema(names, { io: 'input', uri });
  return {
    // A schema says its own place and dialect where it stands alone; here the document does.
    schemas: Object.fromEntries(
      Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, withMeanings(id, schema)]),
    ),
    toReference: (schema) => ({ $ref: uri(names.get(schema)?.id ?? '') }),
  };
}

/** What several answers share, or is worth a name. */
const shared: Readonly<Record<string, z.ZodType>> = {
  Client: client,
  Connection: connection,
  Earner: earner,
  Failure: failure,
  Location: location,
  LocationGroup: locationGroup,
  ProviderSpec: providerSpec,
  ProviderSpecRequest: providerSpecRequest,
  ProviderStats: providerStatsResponse,
  ProviderWindow: providerWindow,
  ProvidersResponse: providersResponse,
  ProxyClient: proxyClient,
  ProxyConfigResult: proxyConfigResult,
  ReliabilityWindow: reliabilityWindow,
  Resident: resident,
  SharedDevice: sharedDevice,
  Wallet: wallet,
  WgConfig: wgConfig,
};

type Node = Readonly<Record<string, unknown>>;

/** The schema with a description, and where it has one a format, for each of its fields. */
function withMeanings(owner: string, schema: Node): Node {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'properties' && isNode(value) ? describeFields(owner, value) : withMeaningsInside(owner, value),
    ]),
  );
}

function withMeaningsInside(owner: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withMeaningsInside(owner, item));
  return isNode(value) ? withMeanings(owner, value) : value;
}

function describeFields(owner: string, fields: Node): Node {
  return Object.fromEntries(
    Object.entries(fields).map(([field, schema]) => {
      const format = findFormat(owner, field);
      const described = isNode(schema) ? withMeanings(owner, schema) : {};
      const description = findMeaning(owner, field);
      return [field, { ...described, ...(format === undefined ? {} : { format }), description }];
    }),
  );
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
