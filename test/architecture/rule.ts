import type { Module } from './module-graph.ts';

/**
 * What the code keeps to, why, and a small set of files that does not: each rule is seen failing on
 * it.
 */
export interface Rule {
  readonly name: string;
  readonly reason: string;
  /** One line for each place that breaks the rule. */
  readonly find: (modules: readonly Module[]) => readonly string[];
  /** Files by path, each set to be reported. */
  readonly broken: readonly Readonly<Record<string, string>>[];
}

/** The folder directly below src, `lab` for tools/lab; '' for a file at the root of src. */
export function toFolder(path: string): string {
  return /^(?:src|tools)\/([^/]+)\//.exec(path)?.[1] ?? '';
}

/** True for a file of this project, false for a package or a built-in of Node. */
export function isOurs(to: string): boolean {
  return /^(src|tools\/(lab|packaging))\//.test(to);
}
