import { readFileSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { constants, Script } from 'node:vm';

interface Compiling {
  _compile(this: NodeJS.Module, code: string, path: string): void;
}

/**
 * Chunks that are loaded from now on run from the compiled code beside them, where there is any that fits this Node and its
 * flags: V8 judges, and compiles what it refuses. A chunk's name holds a hash of its text, so the code is never another's.
 * @returns writes that code for what was loaded
 */
export function useCompiledCode(): () => void {
  const loaded = new Map<string, Script>();
  (Module.prototype as unknown as Compiling)._compile = function (code, path) {
    const cachedData = readIfThere(toPath(path));
    const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    const script = new Script(Module.wrap(code), {
      filename: path,
      importModuleDynamically,
      ...(cachedData && { cachedData }),
    });
    loaded.set(path, script);
    script.runInThisContext().call(this.exports, this.exports, createRequire(path), this, path, dirname(path));
  };
  return () => {
    for (const [path, script] of loaded) writeFileSync(toPath(path), script.createCachedData());
  };
}

function toPath(chunk: string): string {
  return `${chunk}.compiled`;
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
