import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Pair {
  readonly cert: string;
  readonly key: string;
}

export type Certificates = ReturnType<typeof makeCertificates>;

/**
 * An authority of its own, and what it vouches for; made by openssl, and one pair that nobody
 * vouches for.
 */
export function makeCertificates(directory: string) {
  const folder = join(directory, 'certificates');
  mkdirSync(folder);
  const openssl = (...words: readonly string[]) =>
    execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });
  const keys = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const makeAuthority = (name: string) =>
    openssl(
      'req',
      '-x509',
      '-days',
      '2',
      ...keys,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
    );
  // `ca` and not `x509`: it takes both dates.
  const settings =
    '[ca]\ndefault_ca=own\n[own]\ndatabase=index\nserial=serial\nnew_certs_dir=.\nrand_serial=yes\npolicy=any\ndefault_md=sha256\ncopy_extensions=copy\nunique_subject=no\n[any]\ncommonName=supplied\n';
  writeFileSync(join(folder, 'ca.cnf'), settings);
  writeFileSync(join(folder, 'index'), '');
  const issue = (name: string, host: string, [from, until]: readonly [string, string]): Pair => {
    const files = ['-keyout', `${name}.key`, '-out', `${name}.csr`];
    openssl(
      'req',
      ...keys,
      ...files,
      '-subj',
      `/CN=${host}`,
      '-addext',
      `subjectAltName=DNS:${host}`,
    );
    const signed = [
      '-cert',
      'authority.pem',
      '-keyfile',
      'authority.key',
      '-startdate',
      from,
      '-enddate',
      until,
    ];
    openssl(
      'ca',
      '-batch',
      '-notext',
      '-config',
      'ca.cnf',
      ...signed,
      '-in',
      `${name}.csr`,
      '-out',
      `${name}.pem`,
    );
    return read(folder, name);
  };
  makeAuthority('authority');
  makeAuthority('localhost');
  const now = ['20200101000000Z', '20991231235959Z'] as const;
  return {
    authorityFile: join(folder, 'authority.pem'),
    good: issue('good', 'localhost', now),
    expired: issue('expired', 'localhost', ['20200101000000Z', '20200201000000Z']),
    notYet: issue('not-yet', 'localhost', ['20980101000000Z', '20991231235959Z']),
    wrongName: issue('wrong-name', 'portal.example', now),
    selfSigned: read(folder, 'localhost'),
  };
}

function read(folder: string, name: string): Pair {
  return {
    cert: readFileSync(join(folder, `${name}.pem`), 'utf8'),
    key: readFileSync(join(folder, `${name}.key`), 'utf8'),
  };
}
