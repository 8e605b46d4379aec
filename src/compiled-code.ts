import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import { dirname } from 'node:path';
import { constants, Script } from 'node:vm';

interface Compiling {
  _compile(this: NodeJS.Module, text: string, path: string): void;
}

/**
 * Files of the program that are loaded from now on run from the compiled code beside them, if it
 * fits this Node and its flags. V8 checks these two; but it also accepts broken code, and code of
 * any other text of equal length. So a hash of both precedes the code. With `isKept`, the code of
 * everything that was loaded is written at the end.
 */
export function useCompiledCode({ isKept }: { readonly isKept: boolean }): void {
  const loaded: (() => void)[] = [];
  process.once('exit', () => {
    for (const write of loaded) write();
  });
  (Module.prototype as unknown as Compiling)._compile = function (text, path) {
    const script = new Script(Module.wrap(text), {
      filename: path,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...readCode(text, path),
    });
    if (isKept) loaded.push(() => writeCode(script, text, path));
    const load = (name: string) => this.require.call(this, name);
    script.runInThisContext().call(this.exports, this.exports, load, this, path, dirname(path));
  };
}

const hashBytes = 20;
const toPath = (path: string) => `${path}.compiled`;

function readCode(text: string, path: string): { readonly cachedData?: Buffer } {
  try {
    const file = readFileSync(toPath(path));
    const cachedData = file.subarray(hashBytes);
    return file.indexOf(computeHash(text, cachedData)) === 0 ? { cachedData } : {};
  } catch {
    // Without compiled code, V8 compiles the text.
    return {};
  }
}

function writeCode(script: Script, text: string, path: string): void {
  const code = script.createCachedData();
  writeFileSync(toPath(path), Buffer.concat([computeHash(text, code), code]));
}

function computeHash(text: string, code: Buffer): Buffer {
  return createHash('sha1').update(text).update(code).digest();
}
