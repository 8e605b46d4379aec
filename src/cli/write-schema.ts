import { writeFile } from 'node:fs/promises';
import { renderJsonSchema } from '../config/json-schema.ts';

/** Run by `npm run schema` after the configuration's keys have changed. */
await writeFile(new URL('../../config/tributary.schema.json', import.meta.url), renderJsonSchema());
