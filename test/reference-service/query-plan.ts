import type { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { openDatabase } from '../../src/reference-service/database.ts';
import { makeDirectory } from '../make-directory.ts';

interface Plan {
  readonly sql: string;
  readonly steps: readonly string[];
}

/** Makes a module on the database. */
type Create<Module> = (database: DatabaseSync) => Module;
/** Does everything that the module can do. */
type Use<Module> = (module: Module, database: DatabaseSync) => unknown;

/**
 * The statements that a module runs and that walk over a whole table, or sort what they found; each
 * with its plan.
 */
export async function listScans<Module extends object>(
  create: Create<Module>,
  use: Use<Module>,
): Promise<readonly string[]> {
  return (await listPlans(create, use)).flatMap(({ sql, steps }) =>
    steps.filter((step) => /^SCAN |B-TREE/.test(step)).map((step) => `${step}: ${sql}`),
  );
}

/**
 * The statements that a module runs, and the steps that answer each. Fails where anything that it
 * can do was not done.
 */
export async function listPlans<Module extends object>(
  create: Create<Module>,
  use: Use<Module>,
): Promise<readonly Plan[]> {
  using database = openDatabase(makeDirectory());
  const statements = new Set<string>();
  const prepare = database.prepare.bind(database);
  database.prepare = (sql: string) => {
    statements.add(sql);
    return prepare(sql);
  };
  const module = create(database);
  const used = new Set<PropertyKey>();
  const watched = new Proxy(module, {
    get(target, name, receiver) {
      used.add(name);
      return Reflect.get(target, name, receiver);
    },
  });
  await use(watched, database);
  expect([...used].toSorted()).toEqual(Object.keys(module).toSorted());
  // The plan of a plain insert names the tables that refer to its own; they are read only where a
  // constraint was put off.
  return [...statements]
    .filter((sql) => !/^\s*insert\b(?!.*\bselect\b)/is.test(sql))
    .map((sql) => ({
      sql,
      steps: prepare(`explain query plan ${sql}`)
        .all()
        .map(({ detail }) => String(detail)),
    }));
}
