import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from '../../src/system/exec.ts';

/** Every flush takes a second as long as the file is there. */
const source = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
static void wait_for_disk(void) {
  const char *file = getenv("SLOW_DISK");
  if (file != NULL && access(file, F_OK) == 0) usleep(1000000);
}
int fsync(int descriptor) {
  wait_for_disk();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(descriptor);
}
int fdatasync(int descriptor) {
  wait_for_disk();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(descriptor);
}
`;

/** A disk whose flushes can be made slow. */
export interface SlowDisk {
  /** What a program has to be started with to have this disk. */
  readonly env: Readonly<Record<string, string>>;
  during(work: () => Promise<unknown>): Promise<void>;
}

/** undefined where no C compiler is installed. */
export async function buildSlowDisk(directory: string): Promise<SlowDisk | undefined> {
  const at = (name: string) => join(directory, name);
  await mkdir(directory, { recursive: true });
  await writeFile(at('slow-disk.c'), source);
  const doing = 'building the slow disk';
  const args = ['-shared', '-fPIC', '-o', at('slow-disk.so'), at('slow-disk.c'), '-ldl'];
  const isBuilt = await exec({ program: 'cc', args, doing }).then(
    () => true,
    () => false,
  );
  if (!isBuilt) return undefined;
  return {
    env: { LD_PRELOAD: at('slow-disk.so'), SLOW_DISK: at('disk-is-slow') },
    async during(work) {
      await writeFile(at('disk-is-slow'), '');
      await work();
      await rm(at('disk-is-slow'));
    },
  };
}
