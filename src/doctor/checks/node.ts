import { fail, pass } from '../check.ts';
import type { DoctorHost } from '../host.ts';

const leastMajor = 22;

/** Older ones do not even start this program; a newer one may lack what was tried with this. */
export async function lookAtNode({ nodeVersion }: DoctorHost) {
  const major = Number(nodeVersion.split('.')[0]);
  if (major >= leastMajor) return pass(`Node ${nodeVersion}`);
  return fail(`Node ${nodeVersion} is too old`, 'sudo apt-get install nodejs, in version 24 (https://nodejs.org)');
}
