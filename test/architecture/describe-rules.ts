import { describe, expect, test } from 'vitest';
import { type Module, parseModule } from './module-graph.ts';
import type { Rule } from './rule.ts';

/** Tests that each rule holds in `modules`, and that it fails on each of its samples. */
export function describeRules(
  rules: readonly Rule[],
  { where, modules }: { readonly where: string; readonly modules: readonly Module[] },
): void {
  describe.each(rules.map((rule) => [rule.name, rule] as const))(
    '%s',
    (_, { reason, find, broken }) => {
      test(`holds in ${where}`, () => {
        expect(find(modules), reason).toEqual([]);
      });

      test.each(
        broken.map(
          (files) => [Object.entries(files).flat().join(': ').slice(0, 120), files] as const,
        ),
      )('is seen failing on %s', (_, files) => {
        const found = find(Object.entries(files).map(([path, text]) => parseModule(path, text)));
        expect(found).not.toEqual([]);
      });
    },
  );
}
