import { TributaryError } from '../lib/errors.ts';
import type { Exec } from '../system/exec.ts';
import type { DoctorDoors } from './doors.ts';

/** The agent's namespace, for what an ordinary user is not shown. @throws not-allowed, host-namespace */
export async function insideAsRoot(doors: Pick<DoctorDoors, 'isNetworkAdmin' | 'inside'>): Promise<Exec> {
  if (!(await doors.isNetworkAdmin()))
    throw new TributaryError('not-allowed', 'only root may look: sudo tributary doctor');
  return doors.inside();
}
