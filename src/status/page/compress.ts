import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { StatusAnswer, StatusRequest } from '../answers.ts';

const compress = promisify(gzip);
/** Below it the answer fits into a packet anyway. */
const leastBytes = 1_000;

/** True where the browser can read it; `gzip;q=0` says that it cannot. */
export function takesGzip({ 'accept-encoding': encodings = '' }: StatusRequest['headers']): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(encodings));
}

/** The answer compressed, if the browser can read that. */
export async function packAnswer(answer: StatusAnswer, headers: StatusRequest['headers']): Promise<StatusAnswer> {
  const vary = { ...answer.headers, Vary: 'Accept-Encoding' };
  if (answer.body.length < leastBytes || !takesGzip(headers)) {
    return { ...answer, headers: vary };
  }
  return { ...answer, packed: await compress(answer.body), headers: { ...vary, 'Content-Encoding': 'gzip' } };
}
