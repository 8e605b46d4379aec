import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../../src/reference-service/database.ts';
import { makeDirectory } from './make-directory.ts';

/** The statements that a module prepares and that walk over a whole table, or sort what they found; each with its plan. */
export function listScans(prepareAll: (database: DatabaseSync) => unknown): readonly string[] {
  return listPlans(prepareAll).flatMap(({ sql, steps }) =>
    steps.filter((step) => /^SCAN |B-TREE/.test(step)).map((step) => `${step}: ${sql}`),
  );
}

/** The statements that a module prepares, and the steps that answer each. */
export function listPlans(prepareAll: (database: DatabaseSync) => unknown): readonly Plan[] {
  using database = openDatabase(makeDirectory());
  const statements: string[] = [];
  const prepare = database.prepare.bind(database);
  database.prepare = (sql: string) => {
    statements.push(sql);
    return prepare(sql);
  };
  prepareAll(database);
  // The plan of a plain insert names the tables that refer to its own; they are read only where a constraint was put off.
  return statements
    .filter((sql) => !/^\s*insert\b(?!.*\bselect\b)/is.test(sql))
    .map((sql) => ({
      sql,
      steps: prepare(`explain query plan ${sql}`)
        .all()
        .map(({ detail }) => String(detail)),
    }));
}

interface Plan {
  readonly sql: string;
  readonly steps: readonly string[];
}
