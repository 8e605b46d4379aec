import { join } from 'node:path';
import { readCredentials } from '../config/credentials.ts';
import { parseJson } from '../lib/parse-json.ts';
import { Secret } from '../lib/secret.ts';
import { listFolder, readOwnFile } from '../system/files.ts';
import type { DoctorHost } from './host.ts';

/** A field whose name says that its value is a secret, in whole files and broken ones. */
const field = /"[^"\\]*(?:token|jwt|key|secret|password|code)[^"\\]*"\s*:\s*"((?:[^"\\]|\\.)+)"/gi;

/** Every secret that this device knows: of its state, also in files set aside as broken, and those handed in. */
export async function findSecrets(
  host: Pick<DoctorHost, 'disk' | 'stateDirectory' | 'configuration'>,
  environment: NodeJS.ProcessEnv,
): Promise<readonly Secret[]> {
  const { credentials } = await readCredentials(environment);
  const names = await listFolder(host.stateDirectory).catch(() => []);
  const read = (name: string) => readOwnFile(join(host.stateDirectory, name)).catch(() => undefined);
  const texts = await Promise.all(names.map(read));
  const stored = texts.flatMap((text) =>
    [...(text ?? '').matchAll(field)].map(([, value = '']) => String(parseJson(`"${value}"`) ?? value)),
  );
  const webhook = (await host.configuration().catch(() => undefined))?.config.report.webhook;
  // An address to be called is often a secret itself.
  const { pathname = '/', search = '' } = URL.parse(webhook?.url.reveal() ?? '') ?? {};
  return [...stored, pathname === '/' ? '' : `${pathname}${search}`]
    .map((text) => new Secret(text))
    .concat(Object.values(credentials).filter((own) => own !== undefined));
}
