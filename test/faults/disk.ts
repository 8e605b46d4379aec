import { execFileSync } from 'node:child_process';
import { constants, readlinkSync } from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';

/**
 * What is done with a file of the state directory: opened or looked for, read, changed, or put on
 * the disk for good.
 */
type Act = 'open' | 'read' | 'change' | 'sync';

/** Lets it happen, now or later, or throws what the system would. */
type Interfere = (act: Act, name: string) => Promise<void> | void;

export type Disk = Awaited<ReturnType<typeof createDisk>>;

/** A disk that fails at so much (`sync`: at everything that has to last), as the system says it. */
export function failWith(code: string, acts: readonly Act[] = ['sync']): Interfere {
  return (act) => {
    if (acts.includes(act)) throw Object.assign(new Error(`${code}: the disk says so`), { code });
  };
}

const acts: Readonly<Record<string, Act>> = {
  rename: 'change',
  unlink: 'change',
  mkdir: 'change',
  access: 'open',
  lstat: 'open',
  readdir: 'read',
  readFile: 'read',
};
const handleActs: Readonly<Record<string, Act>> = {
  readFile: 'read',
  read: 'read',
  writeFile: 'change',
  appendFile: 'change',
  write: 'change',
  sync: 'sync',
  datasync: 'sync',
};

/**
 * What the agent's state lies on. Most faults are the kernel's own, by mounting over the directory,
 * which needs the lab's namespaces (tools/lab/enter.sh); what no kernel can be made to do is done
 * where the agent calls it.
 */
export async function createDisk(directory: string) {
  let interfere: Interfere | undefined;
  const meddle = async (act: Act, path: string) => {
    if (interfere !== undefined && isInside(path, directory)) await interfere(act, basename(path));
  };
  const opened = new WeakMap<FileHandle, string>();
  const { open } = files;
  const restore = [
    replaceAll(files, acts, ([path]) => String(path), meddle),
    replaceAll(
      await findHandlePrototype(),
      handleActs,
      (_, self) => opened.get(self as FileHandle) ?? '',
      meddle,
    ),
  ];
  files.open = async (...given) => {
    const path = toRealPath(String(given[0]));
    await meddle('open', path);
    const handle = await open(...given);
    opened.set(handle, path);
    return handle;
  };
  syncBuiltinESMExports();
  const mount = (...options: readonly string[]) => execFileSync('mount', [...options, directory]);
  return {
    directory,
    path: (name: string) => join(directory, name),
    /** From now on; undefined: the disk is well. */
    meddle: (told: Interfere | undefined) => {
      interfere = told;
    },
    mount,
    unmount: () => execFileSync('umount', [directory], { stdio: 'ignore' }),
    [Symbol.dispose]: () => {
      files.open = open;
      for (const putBack of restore) putBack();
      syncBuiltinESMExports();
    },
  };
}

/** True where what needs a mount can be tried. */
export const canMount = process.env.LAB_OF_TRIBUTARY === 'inside';

type Call = (this: unknown, ...given: unknown[]) => unknown;

function replaceAll(
  holder: object,
  names: Readonly<Record<string, Act>>,
  findPath: (given: readonly unknown[], self: unknown) => string,
  meddle: (act: Act, path: string) => Promise<void>,
) {
  const own = holder as Record<string, Call>;
  const before = Object.keys(names).map((name) => [name, own[name]] as const);
  for (const [name, call] of before) {
    const act = names[name];
    if (act === undefined || call === undefined) continue;
    own[name] = async function (...given) {
      await meddle(act, toRealPath(findPath(given, this)));
      return call.apply(this, given);
    };
  }
  return () => {
    for (const [name, call] of before) if (call !== undefined) own[name] = call;
  };
}

async function findHandlePrototype(): Promise<object> {
  await using handle = await files.open('/dev/null', constants.O_RDONLY);
  return Object.getPrototypeOf(handle);
}

function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

/** Root looks names up in a folder that it holds open. */
function toRealPath(path: string): string {
  const [, descriptor, rest = ''] = /^(\/proc\/self\/fd\/\d+)(\/.*)?$/.exec(path) ?? [];
  if (descriptor === undefined) return path;
  try {
    return `${readlinkSync(descriptor)}${rest}`;
  } catch {
    return path;
  }
}
