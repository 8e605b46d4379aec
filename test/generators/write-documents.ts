import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createOpenApiDocument } from '../../src/service/openapi.ts';
import { profileNames, profiles } from '../../src/service/profiles.ts';

// Writes the interface of each profile as `NAME.json` into the folder that is named.
const [, , directory = '.'] = process.argv;
for (const name of profileNames) {
  const profile = profiles[name];
  const { notServed } = profile;
  const document = createOpenApiDocument({ version: '0.0.0', profile, notServed });
  await writeFile(join(directory, `${name}.json`), JSON.stringify(document));
}
