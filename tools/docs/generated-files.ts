import { renderJsonSchema } from '../../src/config/json-schema.ts';
import { renderCommandLinePage } from './command-line-page.ts';
import { renderConfigurationPage } from './configuration-page.ts';
import { renderJsonPage } from './json-page.ts';
import { renderManPage } from './man-page.ts';
import { readCommandLine } from './program-help.ts';
import { renderServicePage } from './service-page.ts';

/**
 * The files that are generated from the code, by path. `npm run docs` writes them, and a test
 * compares them.
 * @throws DocumentationError for text that a person has to write first
 */
export async function renderGeneratedFiles(): Promise<Readonly<Record<string, string>>> {
  const program = await readCommandLine();
  return {
    'config/tributary.schema.json': renderJsonSchema(),
    'docs/command-line.md': renderCommandLinePage(program),
    'docs/configuration.md': renderConfigurationPage(),
    'docs/json-output.md': await renderJsonPage(program),
    'docs/man-page.roff': renderManPage(program),
    'docs/development/service.md': renderServicePage(),
  };
}
