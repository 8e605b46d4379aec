/** The configuration of a file or of the environment, before the schema has checked it. */
export type ConfigTree = Readonly<Record<string, unknown>>;

export function isTree(value: unknown): value is ConfigTree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at the path; undefined without one. */
export function valueAt(tree: unknown, path: readonly PropertyKey[]): unknown {
  let value = tree;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part))
      return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

/**
 * A copy with the value at the path. A value on the way that is no map stays, because its own error
 * says more.
 */
export function withValue(tree: ConfigTree, path: readonly string[], value: unknown): ConfigTree {
  const [name, ...below] = path;
  if (name === undefined) return tree;
  if (below.length === 0) return { ...tree, [name]: value };
  const inner = tree[name] ?? {};
  return isTree(inner) ? { ...tree, [name]: withValue(inner, below, value) } : tree;
}

/** A copy without the value at the path, and without what is below it. */
export function withoutValue(tree: ConfigTree, path: readonly string[]): ConfigTree {
  const [name, ...below] = path;
  if (name === undefined || !Object.hasOwn(tree, name)) return tree;
  const { [name]: inner, ...others } = tree;
  if (below.length === 0) return others;
  return isTree(inner) ? { ...tree, [name]: withoutValue(inner, below) } : tree;
}
