import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findAction, type ReasonCode } from '../../src/health/reasons.ts';
import { errorKinds } from '../../src/lib/errors.ts';

const advice = readFileSync(join(import.meta.dirname, '../../src/health/reasons.ts'), 'utf8');

/**
 * Every code that `status` or an error can name: those with advice. @throws Error where an error or
 * a code has none
 */
export function listReasonCodes(): readonly string[] {
  const codes = [...advice.matchAll(/^ {2}'?([a-z]+(?:-[a-z0-9]+)*)'?:\s/gm)].map(
    ([, code = '']) => code,
  );
  const silent = [...Object.keys(errorKinds), ...codes].filter(
    (code) => !codes.includes(code) || !findAction(code as ReasonCode),
  );
  if (silent.length > 0) throw new Error(`codes without advice: ${silent}`);
  return codes;
}
