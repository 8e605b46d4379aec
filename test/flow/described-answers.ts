import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createOpenApiDocument } from '../../src/service/openapi.ts';
import { profiles } from '../../src/service/profiles.ts';

/** One exchange, as far as the description of the interface says something of it. */
export interface DescribedExchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

/**
 * Holds an answer against the description. @throws Error that says what is not described; the
 * answer is not in it
 */
export function checkAnswer({ method, path, status, body }: DescribedExchange): void {
  const described = status === 200 ? paths[path]?.[method.toLowerCase()] : undefined;
  if (described === undefined) return;
  const validate = compileValidator(
    described.responses[200].content['application/json'].schema.$ref,
  );
  if (validate(body)) return;
  const faults = (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `${instancePath || 'the answer'} ${message} ${JSON.stringify(params)}`;
  });
  throw new Error(`${method} ${path} is not answered as it is described: ${faults.join('; ')}`);
}

const { paths, components } = createOpenApiDocument({
  version: 'test',
  profile: profiles.documented,
});

// The word says where the schemas lie; it means nothing to a validator.
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, keywords: ['components'] });
addFormats.default(ajv);
const closed = { schemas: close(components.schemas) };
const compiled = new Map<string, ValidateFunction>();

function compileValidator(reference: string): ValidateFunction {
  const validate = compiled.get(reference) ?? ajv.compile({ $ref: reference, components: closed });
  compiled.set(reference, validate);
  return validate;
}

/**
 * The schema without room for fields that it does not name: callers may meet new ones, tests should
 * not.
 */
function close(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(close);
  if (typeof node !== 'object' || node === null) return node;
  const inside = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, close(value)]),
  );
  return 'properties' in node ? { additionalProperties: false, ...inside } : inside;
}
