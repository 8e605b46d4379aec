import * as z from 'zod';

/** What a field may contain, with the fields below it. */
export interface Shape {
  /** In words: `text`, `time`, `number`; several where it may be either. */
  readonly types: ReadonlySet<string>;
  /** The fields by name; for a list, the fields of its entries. */
  readonly fields: ReadonlyMap<string, Shape>;
}

/** The common shape of all samples. A field that is null in all of them has no type. */
export function readShape(samples: readonly unknown[]): Shape {
  const values = samples.flatMap((value) => (Array.isArray(value) ? value : [value]));
  const objects = values.filter(
    (value) => typeof value === 'object' && value !== null,
  ) as readonly object[];
  const names = [...new Set(objects.flatMap((value) => Object.keys(value)))];
  const fields = names.map(
    (name) => [name, readShape(objects.map((value) => Reflect.get(value, name)))] as const,
  );
  return { types: new Set(samples.flatMap(nameType)), fields: new Map(fields) };
}

function nameType(value: unknown): readonly string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) {
    const inner = [...new Set(value.flatMap(nameType))].filter((type) => type !== 'object');
    return [inner.length === 0 ? 'list' : `list of ${inner.join(' or ')}`];
  }
  switch (typeof value) {
    case 'string':
      if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return ['time'];
      return [/^\d{4}-\d\d-\d\d$/.test(value) ? 'day' : 'text'];
    case 'boolean':
      return ['boolean'];
    case 'number':
      return ['number'];
    default:
      return ['object'];
  }
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
}

/** The shape that a schema describes. A schema says of each field whether it may be null. */
export function toShape(schema: z.ZodType): Shape {
  return convert(z.toJSONSchema(schema) as JsonSchema);
}

function convert(schema: JsonSchema): Shape {
  const { properties = {}, items, additionalProperties: values, anyOf } = schema;
  if (anyOf !== undefined) {
    const shapes = anyOf.map(convert);
    return {
      types: new Set(shapes.flatMap(({ types }) => [...types])),
      fields: new Map(shapes.flatMap(({ fields }) => [...fields])),
    };
  }
  const own = Object.entries(properties).map(([name, inner]) => [name, convert(inner)] as const);
  const below = items === undefined ? [] : convert(items).fields;
  const any = typeof values === 'object' ? [['*', convert(values)] as const] : [];
  return { types: new Set(nameSchemaTypes(schema)), fields: new Map([...own, ...below, ...any]) };
}

function nameSchemaTypes({
  type = [],
  format,
  const: constant,
  enum: words,
}: JsonSchema): readonly string[] {
  if (constant !== undefined) return [`always ${constant}`];
  if (words !== undefined) return [words.map((word) => `\`${word}\``).join(', ')];
  const names = { string: format === 'date-time' ? 'time' : 'text', ...typeNames };
  return [type].flat().map((own) => names[own as keyof typeof names] ?? own);
}

const typeNames = { integer: 'number', array: 'list' };
