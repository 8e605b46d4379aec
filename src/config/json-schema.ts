import * as z from 'zod';
import { configSchema } from './schema.ts';

/**
 * The JSON schema of the configuration file, for editors. It is the text of
 * config/tributary.schema.json.
 */
export function renderJsonSchema(): string {
  const schema = z.toJSONSchema(configSchema, { io: 'input' });
  return `${JSON.stringify({ ...schema, title: 'tributary.yaml' }, null, 2)}\n`;
}
