import { renderJsonSchema } from '../../src/config/json-schema.ts';
import { readCommandLine } from '../../src/packaging/man-page.ts';
import { renderCommandLinePage } from './command-line-page.ts';
import { renderConfigurationPage } from './configuration-page.ts';
import { renderJsonPage } from './json-page.ts';
import { renderManPageEnding } from './program-ending.ts';

/** What is written from the code, by path from the root: `npm run docs` writes it, and a test holds it current. */
export async function renderGeneratedFiles(): Promise<Readonly<Record<string, string>>> {
  const program = await readCommandLine('0.0.0');
  return {
    'config/tributary.schema.json': renderJsonSchema(),
    'docs/command-line.md': renderCommandLinePage(program),
    'docs/configuration.md': renderConfigurationPage(),
    'docs/json-output.md': await renderJsonPage(program),
    'docs/man-page-end.roff': renderManPageEnding(),
  };
}
