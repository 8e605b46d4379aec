/**
 * What is documented of a value: a word for its type, `[element]` for a list, names to types for an
 * object or a map.
 */
export type Documented = string | readonly Documented[] | { readonly [name: string]: Documented };

/** A documented type as TypeScript has it. */
export type ValueOf<D> = D extends 'boolean'
  ? boolean
  : D extends 'integer' | 'number'
    ? number
    : D extends string
      ? string
      : D extends readonly (infer Item)[]
        ? readonly ValueOf<Item>[]
        : {
            readonly [Name in keyof D as Name extends `<${string}>` ? string : Name]?: ValueOf<
              D[Name]
            > | null;
          };

/** One value that was met: where, and what is wrong with it; undefined for nothing. */
export interface Finding {
  readonly path: string;
  readonly problem: string | undefined;
}

const mapKeys: Readonly<Record<string, RegExp>> = {
  '<yyyy-mm-dd-hh>': /^\d{4}-\d\d-\d\d-\d\d$/,
  '<yyyy-mm-dd>': /^\d{4}-\d\d-\d\d$/,
  '<any>': /./,
};

const words: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: Number.isFinite,
  integer: Number.isSafeInteger,
  // ISO 8601 in the form that RFC 3339 allows.
  time: (value) =>
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) &&
    !Number.isNaN(Date.parse(value)),
};

/**
 * Holds a value against what is documented of it: every documented place where something was, and
 * every fault.
 */
export function compare(documented: Documented, value: unknown, path: string): readonly Finding[] {
  // Every field may be absent or null.
  if (value === undefined || value === null) return [];
  if (typeof documented === 'string') return [judgeWord(documented, value, path)];
  if (isList(documented)) {
    if (!Array.isArray(value)) return [{ path, problem: `${path} is no list: ${show(value)}` }];
    return [
      fine(path),
      ...value.flatMap((item) => compare(documented[0] ?? '', item, `${path}[]`)),
    ];
  }
  if (typeof value !== 'object' || Array.isArray(value))
    return [{ path, problem: `${path} is no object: ${show(value)}` }];
  return [
    fine(path),
    ...Object.entries(value).flatMap(([name, item]) => compareField(documented, name, item, path)),
  ];
}

/** Every place that is documented below a path, the path's own included. */
export function listPlaces(documented: Documented, path: string): readonly string[] {
  if (typeof documented === 'string') return [path];
  if (isList(documented)) return [path, ...listPlaces(documented[0] ?? '', `${path}[]`)];
  return [
    path,
    ...Object.entries(documented).flatMap(([name, field]) =>
      listPlaces(field, joinPath(path, name)),
    ),
  ];
}

function compareField(
  documented: { readonly [name: string]: Documented },
  name: string,
  value: unknown,
  path: string,
): readonly Finding[] {
  const pattern = Object.keys(documented).find((key) => mapKeys[key]?.test(name));
  const own = Object.hasOwn(documented, name) ? name : pattern;
  const field = own === undefined ? undefined : documented[own];
  if (own === undefined || field === undefined) {
    return [{ path, problem: `${joinPath(path, name)} is not documented: ${show(value)}` }];
  }
  return compare(field, value, joinPath(path, own));
}

function judgeWord(word: string, value: unknown, path: string): Finding {
  const isRight = word.includes('|')
    ? word.split('|').includes(String(value))
    : words[word]?.(value) === true;
  return isRight ? fine(path) : { path, problem: `${path} is no ${word}: ${show(value)}` };
}

function isList(documented: Documented): documented is readonly Documented[] {
  return Array.isArray(documented);
}

function joinPath(path: string, name: string): string {
  return path.endsWith(' ') ? `${path}${name}` : `${path}.${name}`;
}

function fine(path: string): Finding {
  return { path, problem: undefined };
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 80);
}
