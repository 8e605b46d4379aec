import { createOpenApiDocument } from '../../../src/service/openapi.ts';
import { profiles } from '../../../src/service/profiles.ts';

const { paths, components } = createOpenApiDocument({
  version: 'test',
  profile: profiles.documented,
});

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

/** What is put wherever a text or a number may be. */
interface Values {
  readonly text: string;
  readonly number: number;
}

/** The answer of each operation, by `METHOD /path`, with every field that it may have, no error. */
export function fillAnswers(values: Values): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => {
        const { schema } = responses[200].content['application/json'];
        return [`${method.toUpperCase()} ${path}`, fill(schema, values)] as const;
      }),
    ),
  );
}

/** A value as the interface describes it. */
function fill(schema: Schema, values: Values): unknown {
  if (schema.$ref !== undefined) {
    const named = components.schemas[schema.$ref.split('/').at(-1) ?? ''];
    return fill((named ?? {}) as Schema, values);
  }
  const chosen = schema.anyOf?.find(({ type }) => type !== 'null');
  if (chosen !== undefined) return fill(chosen, values);
  const type = [schema.type ?? []].flat().find((name) => name !== 'null');
  if (type === 'string') return values.text;
  if (type === 'boolean') return true;
  if (type === 'array') return [fill(schema.items ?? {}, values)];
  if (type !== 'object') return values.number;
  const own = Object.entries(schema.properties ?? {}).filter(([name]) => name !== 'error');
  const isMap = typeof schema.additionalProperties === 'object';
  const map = isMap
    ? [[values.text, fill(schema.additionalProperties as Schema, values)] as const]
    : [];
  return Object.fromEntries([
    ...own.map(([name, value]) => [name, fill(value, values)] as const),
    ...map,
  ]);
}
