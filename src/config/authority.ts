import { X509Certificate } from 'node:crypto';
import { hasCode, messageOf, systemCodeOf } from '../errors/codes.ts';
import { readSmallFile } from '../system/small-file.ts';
import { type Problem, renderFound } from './problems.ts';

const limitBytes = 1024 * 1024;
const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * The certificates of `service.ca_file` as one text. Everything between them is dropped, a private
 * key for example.
 */
export async function readAuthority(
  file: string,
): Promise<{ readonly text?: string; readonly problem?: Problem }> {
  const refuse = (why: string) => {
    const text = renderFound(file, `a file with at least one certificate in PEM form; ${why}`);
    return { problem: { path: ['service', 'ca_file'], text } };
  };
  try {
    const certificates = (await readSmallFile(file, limitBytes)).match(certificate) ?? [];
    const broken = certificates.findIndex((text) => !isCertificate(text));
    if (broken >= 0) return refuse(`certificate ${broken + 1} in it cannot be read`);
    if (certificates.length === 0) return refuse('it holds no certificate');
    return { text: `${certificates.join('\n')}\n` };
  } catch (error) {
    if (systemCodeOf(error) === undefined && !hasCode(error, 'state-unreadable')) throw error;
    return refuse(systemCodeOf(error) === 'ENOENT' ? 'no such file' : messageOf(error));
  }
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== null;
  } catch {
    return false;
  }
}
