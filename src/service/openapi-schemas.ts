import * as z from 'zod';
import { failure } from './fields.ts';
import type { Operation } from './operation.ts';
import { wallet } from './operations/account.ts';
import { proxyClient, proxyConfigResult, wgConfig } from './operations/auth-client.ts';
import { client, connection, reliabilityWindow, resident } from './operations/clients.ts';
import { sharedDevice } from './operations/device.ts';
import { location, locationGroup, providerSpec, providerSpecRequest } from './operations/discovery.ts';
import { earner, providerStatsResponse, providersResponse, providerWindow } from './operations/stats.ts';

/** Wire schemas in JSON schema, under names of their own. */
export type NamedSchemas = ReturnType<typeof nameSchemas>;

/** Every schema of these operations, each field with its meaning. */
export function nameSchemas(rows: readonly (readonly [string, Operation])[]) {
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
    // Alone, a schema names its address and the version of JSON schema; here the document does.
    schemas: Object.fromEntries(Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema])),
    /** How the document points to a schema of a request or an answer. */
    toReference: (schema: z.ZodType) => ({ $ref: uri(names.get(schema)?.id ?? '') }),
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
