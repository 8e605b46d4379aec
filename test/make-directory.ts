import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory that goes with the test. */
export function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-reference-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
