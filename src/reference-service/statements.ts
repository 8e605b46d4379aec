import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { ProvideMode } from '../service/profiles.ts';

/** What a query for these fields gives: `Row<'clientId isOnline'>`. Each holds what the database has in its column. */
export type Row<Fields extends string> = { readonly [Field in NamesOf<Fields>]: ValueOf<Field> };

/** What columns hold whose name does not say it. */
interface Columns {
  readonly kind: 'permanent' | 'guest';
  readonly provideMode: ProvideMode;
  readonly walletType: 'managed' | 'external';
  readonly blockchain: 'SOL' | 'MATIC';
  /** null for a wallet that its owner keeps. */
  readonly managedWalletId: string | null;
  /** The client of another network that it represents; null for a device's own. */
  readonly sourceClientId: string | null;
  /** null where no endpoint requires one. */
  readonly authToken: string | null;
  /** null while the connection lasts. */
  readonly disconnectedMs: number | null;
  /** 1 while payouts may go there, else 0. */
  readonly active: number;
  /** Lower for the client that was registered earlier. */
  readonly sequence: number;
  /** Measured; 0 where nothing was yet. */
  readonly bytesPerSecond: number;
  /** 0 to 1. */
  readonly quality: number;
  /** Stretches in which consumers' traffic was given to it and moved. */
  readonly sessions: number;
  readonly searches: number;
}

/** Times are Unix milliseconds; what is named as a claim is 1 or 0; days count from 1970 (UTC). */
type ValueOf<Field extends string> = Field extends keyof Columns
  ? Columns[Field]
  : Field extends `is${string}`
    ? 0 | 1
    : Field extends `${string}${'Ms' | 'Bytes' | 'Minutes' | 'Clients'}` | 'day' | 'number' | 'providers' | 'consumers'
      ? number
      : Field extends `${string}${'Id' | 'Name' | 'Key' | 'Spec' | 'Address' | 'TokenType'}` | 'code' | 'description'
        ? string
        : never;

type NamesOf<Fields extends string> = Fields extends `${infer First} ${infer Rest}`
  ? NamesOf<First> | NamesOf<Rest>
  : Fields extends `${string}.${infer Name}`
    ? Name
    : Fields;

/** Clients of one network that follow one another, by their numbers in the database. */
export interface ClientRange {
  readonly networkId: string;
  readonly afterSequence: number;
  readonly lastSequence: number;
}

/** The condition that a client is in the range, whose fields are parameters. */
export const inClientRange =
  'client.network_id = :networkId and client.sequence > :afterSequence and client.sequence <= :lastSequence';

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

/** The end of an insertion that adds these fields to a row which is there already. */
export function sumOnConflict(fields: string): string {
  const sums = splitFields(fields).map(toColumn);
  return `on conflict do update set ${sums.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`;
}

/** Values of a statement's parameters, in their order, or one object with all of them by name. */
type Given = readonly (SQLInputValue | object)[];

export function prepareOn(database: DatabaseSync) {
  const insertions = new Map<string, StatementSync>();

  /** Inserts a row, whose fields are named as the table's columns, and gives its number. */
  function insert(table: string, row: Readonly<Record<string, SQLInputValue>>): number {
    const columns = Object.keys(row).map(toColumn);
    const sql = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
    const statement = insertions.get(sql) ?? database.prepare(sql);
    insertions.set(sql, statement);
    // By position, which is much faster than by name for thousands of rows.
    return Number(statement.run(...Object.values(row)).lastInsertRowid);
  }

  /** Prepares a query for rows. The caller vouches for it that their columns are the fields of `Row`. */
  function prepareList<Row, Values extends Given>(sql: string) {
    const statement = database.prepare(sql);
    return (...values: Values): readonly Row[] =>
      statement.all(...(values as readonly unknown[] as SQLInputValue[])) as unknown as readonly Row[];
  }

  /** The same for one row; undefined where there is none. A statement that changes rows is run to its end. */
  function prepareFind<Row, Values extends Given>(sql: string) {
    const list = prepareList<Row, Values>(sql);
    return (...values: Values): Row | undefined => list(...values)[0];
  }

  /** The same for the one number of the one row. */
  function prepareNumber<Values extends Given>(sql: string) {
    const list = prepareList<Record<string, number>, Values>(sql);
    return (...values: Values): number => Number(Object.values(list(...values)[0] ?? {})[0]);
  }

  return { insert, prepareList, prepareFind, prepareNumber } as const;
}

function splitFields(fields: string): readonly string[] {
  return fields.split(/\s+/);
}

function toColumn(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
