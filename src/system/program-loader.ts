import { open } from 'node:fs/promises';
import { listProgramFiles } from './missing-program.ts';

/** The header and the list of parts lie at the start of a program. */
const headBytes = 4096;
/** Programs have some ten parts. */
const mostParts = 64;
const interpreterPart = 3;

/**
 * How to start a program without the rights that its file would give it: its path, after the path
 * of the loader that its file names. Where the file gives a right that nobody may have here, the
 * kernel refuses to start it otherwise. undefined where it is not found, or is no such program.
 */
export async function findLoader(
  program: string,
  path?: string,
): Promise<readonly [loader: string, file: string] | undefined> {
  const [file] = await listProgramFiles(program, path);
  if (file === undefined) return undefined;
  const loader = findInterpreter(await readHead(file));
  return loader === undefined ? undefined : [loader, file];
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * Pure. The loader that a program's file names, by the format ELF (System V ABI, chapter 5);
 * undefined for a file of another format, for the other order of bytes, and where none is named.
 */
export function findInterpreter(head: Buffer): string | undefined {
  const isElf = head.length >= 64 && head.toString('latin1', 0, 4) === '\x7fELF' && head[5] === 1;
  if (!isElf) return undefined;
  const is64 = head[4] === 2;
  const readOffset = (at: number) =>
    is64 ? Number(head.readBigUInt64LE(at)) : head.readUInt32LE(at);
  const parts = readOffset(is64 ? 32 : 28);
  const partBytes = head.readUInt16LE(is64 ? 54 : 42);
  const count = Math.min(mostParts, head.readUInt16LE(is64 ? 56 : 44));
  const part = Array.from({ length: count }, (_, index) => parts + index * partBytes).find(
    (at) => at + 40 <= head.length && head.readUInt32LE(at) === interpreterPart,
  );
  if (part === undefined) return undefined;
  const from = readOffset(part + (is64 ? 8 : 4));
  const end = from + readOffset(part + (is64 ? 32 : 16));
  const text = end <= head.length ? head.toString('utf8', from, end).replace(/\0+$/, '') : '';
  return text.startsWith('/') ? text : undefined;
}
