import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { constants, Script } from 'node:vm';

interface Compiling {
  _compile(this: NodeJS.Module, code: string, path: string): void;
}

/**
 * Chunks that are loaded from now on run from the compiled code beside them, where it fits this Node and its flags. V8 knows
 * those, but takes the code of any text as long as this one, and broken code too: a chunk has a hash of its text in its
 * name, and its code one of its own.
 * @returns writes the code of all that was loaded
 */
export function useCompiledCode(): () => void {
  const loaded = new Map<string, Script>();
  (Module.prototype as unknown as Compiling)._compile = function (code, path) {
    const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    const script = new Script(Module.wrap(code), { filename: path, importModuleDynamically, ...readCompiled(path) });
    loaded.set(path, script);
    script.runInThisContext().call(this.exports, this.exports, createRequire(path), this, path, dirname(path));
  };
  return () => {
    for (const [path, script] of loaded) {
      const compiled = script.createCachedData();
      writeFileSync(toPath(path), Buffer.concat([digest(compiled), compiled]));
    }
  };
}

const digestBytes = 20;

function readCompiled(path: string): { cachedData?: Buffer } {
  try {
    const file = readFileSync(toPath(path));
    const cachedData = file.subarray(digestBytes);
    return digest(cachedData).equals(file.subarray(0, digestBytes)) ? { cachedData } : {};
  } catch {
    return {};
  }
}

function digest(compiled: Buffer): Buffer {
  return hash('sha1', compiled, 'buffer');
}

function toPath(chunk: string): string {
  return `${chunk}.compiled`;
}
