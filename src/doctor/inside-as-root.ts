import { TributaryError } from '../lib/errors.ts';
import type { Exec } from '../system/exec.ts';
import type { DoctorHost } from './host.ts';

/** The agent's namespace, for what an ordinary user is not shown. @throws not-allowed, host-namespace */
export async function insideAsRoot(host: Pick<DoctorHost, 'isNetworkAdmin' | 'inside'>): Promise<Exec> {
  if (!(await host.isNetworkAdmin()))
    throw new TributaryError('not-allowed', 'only root may look: sudo tributary doctor');
  return host.inside();
}
