import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { listConfigKeys, pickValidKeys } from '../../../src/config/keys.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { valueAt } from '../../../src/config/tree.ts';
import { load } from './config-fixture.ts';

const read = (name: string) =>
  readFileSync(new URL(`../../../config/${name}`, import.meta.url), 'utf8');
const sample = read('tributary.yaml');
const schema = read('tributary.schema.json');
const names = new Set(listConfigKeys().flatMap(({ path }) => path));

/** The sample with every key in force, examples too; words of explanation stay comments. */
const whole = sample
  .split('\n')
  .map((line) => {
    const match = /^(\s*)# (\s*)(?:([a-z][a-z0-9_]*):|- \{)/.exec(line);
    const isKey = match !== null && (match[3] === undefined || names.has(match[3]));
    return isKey ? line.replace('# ', '').replace(': e.g. ', ': ') : line;
  })
  .join('\n');

describe('the sample', () => {
  test('loads as it is, without a warning', async () => {
    expect((await load(sample)).warnings).toEqual([]);
  });

  test('changes nothing but the address', () => {
    const untouched = configSchema.parse({ service: { base_url: 'https://service.example' } });
    const given = Object.fromEntries(
      Object.entries(parse(sample)).filter(([, value]) => value !== null),
    );
    expect(configSchema.parse(given)).toEqual(untouched);
  });

  test('shows at most twenty keys, each with a value that is allowed', async () => {
    const { config } = await load(whole);
    const isShown = (path: readonly string[]) => valueAt(parse(whole), path) !== undefined;
    expect(listConfigKeys().filter(({ path }) => isShown(path)).length).toBeLessThanOrEqual(20);
    expect(config.provide.schedule).toHaveLength(2);
  });

  test('leaves no key to be guessed: the reference that it names has every one', () => {
    expect(sample).toContain('docs/configuration.md');
    const reference = readFileSync(
      new URL('../../../docs/configuration.md', import.meta.url),
      'utf8',
    );
    const missing = listConfigKeys().filter(({ name }) => !reference.includes(`\n- \`${name}\`, `));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test('shows the default of a key that has one', () => {
    const minimal = {
      service: { base_url: 'https://service.example' },
      provide: { cap: { bytes: '1 GB' } },
      report: {
        mqtt: { url: 'mqtts://broker.example' },
        webhook: { url: 'https://hooks.example' },
      },
    };
    const defaults = configSchema.parse(minimal);
    const shown = listConfigKeys().filter(({ path }) =>
      new RegExp(`^\\s*(?:# )?\\s*${path.at(-1)}: (?!e\\.g\\.)`, 'm').test(sample),
    );
    expect(shown.length).toBeGreaterThan(6);
    const sampled = pickValidKeys(parse(whole));
    for (const { path } of shown)
      expect(valueAt(sampled, path), path.join('.')).toEqual(valueAt(defaults, path));
  });
});

describe('the JSON schema', () => {
  const published = z.fromJSONSchema(JSON.parse(schema));
  test('takes the sample, with and without its examples', () => {
    expect(published.safeParse(parse(whole)).error).toBeUndefined();
    const given = Object.entries(parse(sample)).filter(([, value]) => value !== null);
    expect(published.safeParse(Object.fromEntries(given)).error).toBeUndefined();
  });

  test('refuses a misspelt key', () => {
    const wrong = { service: { base_url: 'https://service.example' }, provide: { mod: 'none' } };
    expect(published.safeParse(wrong).success).toBe(false);
  });

  test('explains every key', () => {
    const bare = listConfigKeys().filter(({ schema }) => schema.description === undefined);
    expect(bare.map(({ path }) => path.join('.'))).toEqual([]);
  });
});
