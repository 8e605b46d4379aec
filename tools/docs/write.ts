import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderGeneratedFiles } from './generated-files.ts';

/**
 * Run by `npm run docs` after a change of the configuration's keys, of a command, or of what
 * `--json` prints.
 */
for (const [path, text] of Object.entries(await renderGeneratedFiles())) {
  await writeFile(join(import.meta.dirname, '../..', path), text);
}
