import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { DocumentationError } from '../../tools/docs/documentation-error.ts';
import { renderGeneratedFiles } from '../../tools/docs/generated-files.ts';
import { listJsonDocuments } from '../../tools/docs/json-documents.ts';

const root = join(import.meta.dirname, '../..');

test.each(Object.entries(await renderGeneratedFiles()))(
  '%s is what the code says',
  (path, text) => {
    expect(readFileSync(join(root, path), 'utf8'), `${path} is not current: npm run docs`).toBe(
      text,
    );
  },
);

test('a command that prints JSON and has no row is named, with the place for its row', async () => {
  const program = new Command().addCommand(new Command('rename').option('--json'));
  await expect(listJsonDocuments(program)).rejects.toThrow(
    new DocumentationError(
      'tools/docs/json-documents.ts: add a row for rename: to serviceCommands where the service is asked, otherwise to listLocalDocuments',
    ),
  );
});
