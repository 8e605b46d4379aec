import type { Shape } from './json-shape.ts';

/** A field of a document, with what a person wrote of it. */
export interface Field {
  readonly name: string;
  /** `reasons[].code` */
  readonly path: string;
  readonly type: string;
  readonly meaning: string;
  /** True where the name means this in every document. */
  readonly isCommon: boolean;
  readonly fields: readonly Field[];
}

/** What a field of a document means: `path` is as in `Field`. */
export type Explain = (path: string) => Pick<Field, 'meaning' | 'isCommon'>;

/** The fields of a shape, in its order. */
export function listFields({ fields }: Shape, explain: Explain, above = ''): readonly Field[] {
  return [...fields].map(([name, shape]) => {
    const path = `${above}${name}`;
    const isList = [...shape.types].some((type) => type.startsWith('list'));
    return {
      name,
      path,
      type: nameTypes([...shape.types]),
      ...explain(path),
      fields: listFields(shape, explain, `${path}${isList ? '[]' : ''}.`),
    };
  });
}

/** The fields of them all, with those below. */
export function flatten(fields: readonly Field[]): readonly Field[] {
  return fields.flatMap((field) => [field, ...flatten(field.fields)]);
}

/** The type in short. An empty list says nothing if another one has entries. */
function nameTypes(types: readonly string[]): string {
  const hasEntries = types.some((type) => type.startsWith('list of'));
  const own = types.filter((type) => type !== 'null' && !(hasEntries && type === 'list'));
  return `${own.join(' or ')}${types.includes('null') ? '?' : ''}`;
}

/** Fields that were explained, by where. */
interface Group {
  /** The document, and the field in it: '' for the document itself. */
  readonly title: string;
  readonly path: string;
  readonly fields: readonly Field[];
}

/**
 * Remembers the groups of fields that were explained, and finds the one that explains others too.
 * Fewer than three fields are told again sooner than found elsewhere.
 */
export function createGroups() {
  const groups: Group[] = [];
  return {
    add: (group: Group) => void groups.push(group),
    /** The latest group that has all these fields: what is near is found sooner. */
    find: (fields: readonly Field[]) =>
      fields.length < 3
        ? undefined
        : groups.findLast((group) => {
            const known = new Set(group.fields.map(sign));
            return fields.every((field) => known.has(sign(field)));
          }),
  };
}

/** All that a reader learns of a field; only the types of `status` say what may be null. */
function sign({ name, type, meaning, fields }: Field): string {
  return JSON.stringify([name, type.replace('?', ''), meaning, fields.map(sign)]);
}
