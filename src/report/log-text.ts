import { parseJson } from '../lib/parse-json.ts';
import { toPlainJson, toPlainText } from '../lib/plain-text.ts';

/** A JSON record as one line for people: `12:03:04 info  tunnel is up  interface=tributary0`. */
export function toLogText(line: string): string {
  const record = parseJson(line);
  if (!isObject(record)) return line;
  const { time, level, message, ...fields } = record;
  const clock = typeof time === 'string' ? time.slice(11, 19) : '--:--:--';
  const parts = [`${clock} ${String(level).padEnd(5)} ${toPlainText(String(message ?? ''))}`, ...listPairs(fields, '')];
  return `${parts.join('  ')}\n`;
}

function listPairs(fields: Readonly<Record<string, unknown>>, prefix: string): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    isObject(value) ? listPairs(value, `${prefix}${name}.`) : `${toPlainText(prefix + name)}=${formatValue(value)}`,
  );
}

/** Bare where it is one plain word, in JSON's quotes otherwise. */
function formatValue(value: unknown): string {
  return typeof value === 'string' && /^[\w.:/@+-]+$/.test(value) ? value : toPlainJson(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
