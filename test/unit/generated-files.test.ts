import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderGeneratedFiles } from '../../tools/docs/generated-files.ts';

const root = join(import.meta.dirname, '../..');

test.each(Object.entries(await renderGeneratedFiles()))(
  '%s is what the code says',
  (path, text) => {
    expect(readFileSync(join(root, path), 'utf8'), `${path} is not current: npm run docs`).toBe(
      text,
    );
  },
);
