import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DocumentationError } from './documentation-error.ts';
import { renderGeneratedFiles } from './generated-files.ts';

/**
 * Run by `npm run docs` after a change of the configuration's keys, of a command, of an operation
 * of the service, or of what `--json` prints. Where a person has to write something first, it says
 * what, and writes nothing.
 */
try {
  for (const [path, text] of Object.entries(await renderGeneratedFiles())) {
    await writeFile(join(import.meta.dirname, '../..', path), text);
  }
} catch (error) {
  if (!(error instanceof DocumentationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
