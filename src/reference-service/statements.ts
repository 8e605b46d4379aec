import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** A piece of SQL, and the values of its question marks. */
export interface Sql {
  readonly text: string;
  readonly values: readonly Value[];
}

type Value = string | number | null;
type Part = Sql | Value;

/**
 * SQL from a template. A piece of SQL within it becomes part of its text; any other part becomes a
 * question mark.
 */
export function sql(strings: TemplateStringsArray, ...parts: readonly Part[]): Sql {
  let [text = ''] = strings;
  const values: Value[] = [];
  for (const [index, part] of parts.entries()) {
    const piece = typeof part === 'object' && part !== null ? part : { text: '?', values: [part] };
    text += `${piece.text}${strings[index + 1]}`;
    values.push(...piece.values);
  }
  return { text, values };
}

/** A piece of SQL without values. It must never come from a caller. */
export function raw(text: string): Sql {
  return { text, values: [] };
}

/** Clients of one network whose numbers in the database follow one another. */
export interface ClientRange {
  readonly networkId: string;
  /** One less than the number of the first client. */
  readonly afterSequence: number;
  /** The number of the last client. */
  readonly lastSequence: number;
}

/** The condition that a client is in the range. */
export function inClientRange({ networkId, afterSequence, lastSequence }: ClientRange): Sql {
  return sql`client.network_id = ${networkId}
    and client.sequence > ${afterSequence} and client.sequence <= ${lastSequence}`;
}

/**
 * The columns of these fields, each under the field's name: `share.clientId` becomes
 * `share.client_id as clientId`.
 */
export function selectFields(fields: string): Sql {
  const known = selections.get(fields);
  if (known !== undefined) return known;
  const columns = fields
    .split(/\s+/)
    .map((field) => `${toColumn(field)} as ${field.split('.').at(-1)}`);
  const selection = raw(columns.join(', '));
  selections.set(fields, selection);
  return selection;
}

/** By the text of the fields. The code has a few dozen of them, and every statement uses one. */
const selections = new Map<string, Sql>();

/** The end of an insertion that adds these fields to an existing row. */
export function sumOnConflict(fields: string): Sql {
  const columns = fields.split(/\s+/).map(toColumn);
  const sums = columns.map((column) => `${column} = ${column} + excluded.${column}`);
  return raw(`on conflict do update set ${sums.join(', ')}`);
}

/** Statements on a database, written as templates whose parts become values or texts. */
export interface Statements {
  listRows<Row>(strings: TemplateStringsArray, ...parts: readonly Part[]): readonly Row[];
  /** undefined without a row. A statement that changes rows is run to its end. */
  findRow<Row>(strings: TemplateStringsArray, ...parts: readonly Part[]): Row | undefined;
  readNumber(strings: TemplateStringsArray, ...parts: readonly Part[]): number;
  run(strings: TemplateStringsArray, ...parts: readonly Part[]): void;
  /** Reads row by row, as far as the caller takes them. */
  readRows<Row>(strings: TemplateStringsArray, ...parts: readonly Part[]): Iterable<Row>;
  /** Inserts a row whose fields have the names of the table's columns. Returns its number. */
  insert(table: string, row: Readonly<Record<string, Value>>, ending?: Sql): number;
}

/**
 * Statements on this database; each is prepared when it first runs. The caller is responsible for a
 * row's columns having the names and types of the fields of `Row`.
 */
export function queryOn(database: DatabaseSync): Statements {
  const prepared = new Map<string, StatementSync>();

  function prepare(text: string): StatementSync {
    const statement = prepared.get(text) ?? database.prepare(text);
    prepared.set(text, statement);
    return statement;
  }

  function listRows<Row>(strings: TemplateStringsArray, ...parts: readonly Part[]): readonly Row[] {
    const { text, values } = sql(strings, ...parts);
    return prepare(text).all(...values) as unknown as readonly Row[];
  }

  return {
    listRows,
    findRow: <Row>(strings: TemplateStringsArray, ...parts: readonly Part[]) =>
      listRows<Row>(strings, ...parts)[0],
    readNumber: (strings: TemplateStringsArray, ...parts: readonly Part[]) =>
      Number(Object.values(listRows<Record<string, number>>(strings, ...parts)[0] ?? {})[0]),
    run: (strings: TemplateStringsArray, ...parts: readonly Part[]) =>
      void listRows(strings, ...parts),
    *readRows<Row>(strings: TemplateStringsArray, ...parts: readonly Part[]): Iterable<Row> {
      const { text, values } = sql(strings, ...parts);
      yield* prepare(text).iterate(...values) as Iterable<unknown> as Iterable<Row>;
    },
    insert(table: string, row: Readonly<Record<string, Value>>, ending?: Sql): number {
      const columns = Object.keys(row).map(toColumn);
      const places = columns.map(() => '?');
      const text = `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')}) ${ending?.text ?? ''}`;
      return Number(prepare(text).run(...Object.values(row)).lastInsertRowid);
    },
  };
}

function toColumn(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
