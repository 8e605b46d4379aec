import type { Module } from './module-graph.ts';

/**
 * Files that are loaded with a file, itself included: its imports and theirs, but not late ones and
 * not types.
 */
export function findLoaded(
  modules: readonly Module[],
  path: string,
): { files: Set<string>; outside: Set<string> } {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const files = new Set([path]);
  const outside = new Set<string>();
  for (const file of files) {
    for (const { to, kind } of byPath.get(file)?.imports ?? []) {
      if (kind === 'value') (byPath.has(to) ? files : outside).add(to);
    }
  }
  return { files, outside };
}
