import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findAction, type ReasonCode } from '../../src/health/reasons.ts';

const source = (path: string) => readFileSync(join(import.meta.dirname, '../../src', path), 'utf8');

/** Every code that `status` or an error can name, as their types list them. @throws Error where one has no advice */
export function listReasonCodes(): readonly string[] {
  const [, errors = ''] = /^export type ErrorCode =([^;]+);/m.exec(source('lib/errors.ts')) ?? [];
  const [, states = ''] = /^const states = \[([^\]]+)\]/m.exec(source('health/reasons.ts')) ?? [];
  const codes = [...`${errors} ${states}`.matchAll(/'([a-z0-9-]+)'/g)].map(([, code = '']) => code);
  const silent = codes.filter((code) => !findAction(code as ReasonCode));
  if (errors === '' || states === '' || silent.length > 0) throw new Error(`codes without advice: ${silent}`);
  return codes;
}
