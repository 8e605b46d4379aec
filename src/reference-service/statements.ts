import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** The columns of these fields, each under the field's name: `share.clientId` is `share.client_id as clientId`. */
export function selectFields(fields: string): string {
  return splitFields(fields)
    .map((field) => `${toColumn(field)} as ${field.split('.').at(-1)}`)
    .join(', ');
}

/** The insertion of a row with these fields, which are named as its columns. */
export function insertInto(table: string, fields: string): string {
  const names = splitFields(fields);
  return `insert into ${table} (${names.map(toColumn).join(', ')}) values (${names.map((name) => `:${name}`).join(', ')})`;
}

/** Inserts rows by table, whose fields are named as its columns, and gives each row's number. */
export function createInserter(database: DatabaseSync) {
  const statements = new Map<string, StatementSync>();
  function prepare(table: string, fields: readonly string[]): StatementSync {
    const columns = fields.map(toColumn).join(', ');
    return database.prepare(`insert into ${table} (${columns}) values (${fields.map(() => '?').join(', ')})`);
  }
  return (table: string, row: Readonly<Record<string, SQLInputValue>>): number => {
    const fields = Object.keys(row);
    const key = `${table} ${fields.join(' ')}`;
    const statement = statements.get(key) ?? prepare(table, fields);
    statements.set(key, statement);
    // By position, which is much faster than by name for thousands of rows.
    return Number(statement.run(...Object.values(row)).lastInsertRowid);
  };
}

/** The end of an insertion that adds these fields to a row which is there already. */
export function sumOnConflict(fields: string): string {
  const sums = splitFields(fields).map(toColumn);
  return `on conflict do update set ${sums.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`;
}

/** Values of a statement's parameters, in their order, or one object with all of them by name. */
type Given = readonly (SQLInputValue | object)[];

/** Prepares a query for rows. The caller vouches for it that their columns are the fields of `Row`. */
export function prepareList<Row, Values extends Given>(database: DatabaseSync, sql: string) {
  const statement = database.prepare(sql);
  return (...values: Values): readonly Row[] =>
    statement.all(...(values as readonly unknown[] as SQLInputValue[])) as unknown as readonly Row[];
}

/** The same for one row; undefined where there is none. A statement that changes rows is run to its end. */
export function prepareFind<Row, Values extends Given>(database: DatabaseSync, sql: string) {
  const list = prepareList<Row, Values>(database, sql);
  return (...values: Values): Row | undefined => list(...values)[0];
}

/** The same for the one number of the one row. */
export function prepareNumber<Values extends Given>(database: DatabaseSync, sql: string) {
  const list = prepareList<Record<string, number>, Values>(database, sql);
  return (...values: Values): number => Number(Object.values(list(...values)[0] ?? {})[0]);
}

function splitFields(fields: string): readonly string[] {
  return fields.split(/\s+/);
}

function toColumn(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
