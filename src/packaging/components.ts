import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { TributaryError } from '../lib/errors.ts';
import type { Component } from './copyright.ts';

const manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** What a package's own files say of its licence. @throws command-failed where one is missing */
export async function readComponent(directory: string): Promise<Component> {
  const { name, version, license } = manifest.parse(
    JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')),
  );
  const file = (await readdir(directory)).sort().find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new TributaryError('command-failed', `${name} comes without the text of its licence`);
  return { name, version, licence: license, text: await readFile(join(directory, file), 'utf8') };
}
