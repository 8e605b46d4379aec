import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/** The columns of these fields, each under the field's name: `share.clientId` is `share.client_id as clientId`. */
export function selectFields(fields: string): string {
  return fields
    .split(/\s+/)
    .map((field) => `${toColumn(field)} as ${field.split('.').at(-1)}`)
    .join(', ');
}

/** The insertion of a row with these fields, which are named as its columns. */
export function insertInto(table: string, fields: string): string {
  const names = fields.split(/\s+/);
  return `insert into ${table} (${names.map(toColumn).join(', ')}) values (${names.map((name) => `:${name}`).join(', ')})`;
}

/** The end of an insertion that adds these fields to a row which is there already. */
export function sumOnConflict(fields: string): string {
  const sums = fields
    .split(/\s+/)
    .map((field) => `${toColumn(field)} = ${toColumn(field)} + excluded.${toColumn(field)}`);
  return `on conflict do update set ${sums.join(', ')}`;
}

/** Prepares a query for rows. The caller vouches for it that their columns are the fields of `Row`. */
export function prepareList<Row>(database: DatabaseSync, sql: string): Query<readonly Row[]> {
  const statement = database.prepare(sql);
  // `all` takes named values, too, but is not declared so for a list of either.
  return (...values) => statement.all(...(values as SQLInputValue[])) as unknown as readonly Row[];
}

/** The same for one row; undefined where there is none. A statement that changes rows is run to its end. */
export function prepareFind<Row>(database: DatabaseSync, sql: string): Query<Row | undefined> {
  const list = prepareList<Row>(database, sql);
  return (...values) => list(...values)[0];
}

/** The same for the one number of the one row. */
export function prepareNumber(database: DatabaseSync, sql: string): Query<number> {
  const find = prepareFind<Record<string, unknown>>(database, sql);
  return (...values) => Number(Object.values(find(...values) ?? {})[0]);
}

/** Runs a prepared query with the values of its parameters, in their order or by name. */
type Query<Result> = (...values: readonly (SQLInputValue | Readonly<Record<string, SQLInputValue>>)[]) => Result;

function toColumn(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
