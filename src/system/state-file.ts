import { hash } from 'node:crypto';
import { basename, join } from 'node:path';
import type * as z from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import { Secret } from '../lib/secret.ts';
import { rethrow, SystemError } from './errors.ts';
import { listFolder, readOwnFile, renameFile, writeFileAtomic } from './files.ts';
import { keepReading } from './kept-reading.ts';

/**
 * One named document in the state directory: with a checksum, private, replaced in one step. One
 * process writes it; any may read it meanwhile.
 */
export interface StateFile<T> {
  readonly path: string;
  /**
   * The document; undefined without a file. Changes nothing. While the file stays the same, it may
   * be the same object each time, which is not to be changed.
   * @throws BrokenDocumentError, state-unreadable; the latter also where a newer version made it
   */
  peek(): Promise<T | undefined>;
  /**
   * For the writer of the file: the document, or undefined without one. A broken document is
   * renamed, reported to `onSetAside`, and then counts as missing; one that a newer version made
   * stays.
   * @throws state-unreadable, state-unwritable
   */
  readOrSetAside(): Promise<T | undefined>;
  /**
   * Copies the file as it is, even if it is broken, to a longer name beside it.
   * @throws state-unreadable, state-unwritable
   */
  copyTo(ending: string): Promise<void>;
  /**
   * True while the directory holds a document of this name that any process has set aside.
   * @throws state-unreadable
   */
  wasSetAside(): Promise<boolean>;
  /**
   * Writes the document with its secrets, which are written nowhere else; the file has mode 0600.
   * A document that was seen to be of a newer version is not replaced.
   * @throws state-unwritable
   */
  write(value: T): Promise<void>;
}

/** A document that can be read but does not hold what it should. */
export class BrokenDocumentError extends SystemError {
  /** What is wrong; it never quotes the document. */
  readonly why: string;

  constructor(path: string, why: string) {
    super('state-unreadable', `reading ${path}: ${why}`);
    this.why = why;
  }
}

const newer = 'it was made by a newer version of tributary, which has to be installed again';
const action = 'Install the newer version of tributary again. Its files are left as they are.';

/**
 * Called when a document is broken: where it is kept now, and why. The file itself is kept for its
 * owner.
 */
export type OnSetAside = (path: string, keptAs: string, why: string) => void;

/** For commands: reports it on standard error. */
export function sayOnSetAside(stderr: { write(text: string): unknown }): OnSetAside {
  return (path, keptAs, why) =>
    void stderr.write(`tributary: ${path} was set aside as ${keptAs}: ${why}\n`);
}

export interface StateFileOptions<T> {
  readonly directory: string;
  readonly name: string;
  readonly schema: z.ZodType<T>;
  readonly onSetAside: OnSetAside;
}

export function createStateFile<T>(options: StateFileOptions<T>): StateFile<T> {
  const fileName = `${options.name}.json`;
  const path = join(options.directory, fileName);
  let isNewer = false;
  const peek = keepReading(path, async () => {
    const text = await readOwnFile(path);
    isNewer = text !== undefined && isOfNewerVersion(text);
    if (text === undefined) return undefined;
    if (isNewer) throw new SystemError('state-unreadable', `reading ${path}: ${newer}`, { action });
    const parsed = parseDocument(text, options.schema);
    if ('value' in parsed) return parsed.value;
    throw new BrokenDocumentError(path, parsed.why);
  });
  return {
    path,
    peek,
    readOrSetAside: () =>
      peek().catch(async (error: unknown) => {
        if (!(error instanceof BrokenDocumentError)) throw error;
        const keptAs = `${path}${asideMark}${new Date().toISOString().replace(/[:.]/g, '-')}`;
        const doing = `setting ${path} aside, because ${error.why}`;
        await renameFile(path, basename(keptAs)).catch(rethrow('state-unwritable', doing));
        options.onSetAside(path, keptAs, error.why);
        return undefined;
      }),
    async copyTo(ending) {
      const text = await readOwnFile(path);
      if (text !== undefined) await writeFileAtomic(`${path}.${ending}`, text);
    },
    async wasSetAside() {
      const names = await listFolder(options.directory);
      return names.some((name) => name.startsWith(`${fileName}${asideMark}`));
    },
    async write(value) {
      // Its owner may have moved it away since.
      if (isNewer) await peek().catch(() => undefined);
      if (isNewer)
        throw new SystemError('state-unwritable', `writing ${path}: ${newer}`, { action });
      const data: unknown = JSON.parse(JSON.stringify(value, revealSecret));
      // What its own reader refuses would keep the next start from its state.
      const checked = options.schema.safeParse(data);
      if (!checked.success) {
        const field = nameField(checked.error.issues[0]?.path);
        throw new SystemError('state-unwritable', `writing ${path}: its field ${field} is wrong`);
      }
      const document = { version: 1, sha256: toChecksum(data), data };
      await writeFileAtomic(path, `${JSON.stringify(document, null, 2)}\n`);
    },
  };
}

/** A replacer for JSON.stringify that writes the text of secrets. */
function revealSecret(
  this: Readonly<Record<string, unknown>>,
  key: string,
  shown: unknown,
): unknown {
  const held = this[key];
  return held instanceof Secret ? held.reveal() : shown;
}

/** The mark between a document's name and the time at which it was set aside. */
const asideMark = '.broken-';

/** After an earlier version was installed again, the files of the later one are not broken. */
function isOfNewerVersion(text: string): boolean {
  const document = parseJson(text);
  if (typeof document !== 'object' || document === null || !('version' in document)) return false;
  return Number.isSafeInteger(document.version) && Number(document.version) > 1;
}

function parseDocument<T>(text: string, schema: z.ZodType<T>): { value: T } | { why: string } {
  const document = parseJson(text);
  if (document === undefined) return { why: 'it is not whole JSON' };
  if (typeof document !== 'object' || document === null) return { why: 'it is not a JSON object' };
  const { version, sha256, data }: { version?: unknown; sha256?: unknown; data?: unknown } =
    document;
  // Only a number is quoted: a text might hold a secret.
  const named = typeof version === 'number' ? version : 'no number';
  if (version !== 1) return { why: `its version is ${named}, this program knows 1` };
  if (sha256 !== toChecksum(data)) return { why: 'its checksum does not fit its content' };
  const result = schema.safeParse(data);
  if (result.success) return { value: result.data };
  return { why: `its field ${nameField(result.error.issues[0]?.path)} is wrong` };
}

/**
 * Names a field for a message, cleaned and cut: the name of a record's field may be any text of the
 * document.
 */
function nameField(path: readonly PropertyKey[] = []): string {
  const name = path.join('.').replace(/[^\w./:@-]/g, '?');
  return name.slice(0, 80) || '(all of it)';
}

/** The checksum over the JSON text of a document's `data`. */
function toChecksum(data: unknown): string {
  return hash('sha256', JSON.stringify(data) ?? '');
}
