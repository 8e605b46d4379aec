import * as z from 'zod';
import { failure } from './fields.ts';
import type { Operation } from './operation.ts';
import * as account from './operations/account.ts';
import * as authClient from './operations/auth-client.ts';
import * as clients from './operations/clients.ts';
import * as device from './operations/device.ts';
import * as discovery from './operations/discovery.ts';
import * as stats from './operations/stats.ts';

/** Wire schemas in JSON schema, under names of their own. */
export type NamedSchemas = ReturnType<typeof nameSchemas>;

/** Every schema of these operations, each field with its meaning. */
export function nameSchemas(rows: readonly (readonly [string, Operation])[]) {
  const names = z.registry<{ id: string }>();
  for (const [name, exported] of Object.entries(shared).sort()) {
    if (exported instanceof z.ZodType) names.add(exported, { id: capitalize(name) });
  }
  for (const [name, { request, response }] of rows) {
    if (request !== undefined) names.add(request, { id: `${capitalize(name)}Request` });
    if (!names.has(response)) names.add(response, { id: `${capitalize(name)}Response` });
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

/** What several answers share, or is worth a name: every schema that the operations' files export, by its name there. */
const shared = { failure, ...account, ...authClient, ...clients, ...device, ...discovery, ...stats };

function capitalize(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
