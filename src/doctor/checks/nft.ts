import { hasCode } from '../../lib/errors.ts';
import { fail, pass, skip } from '../check.ts';
import type { DoctorDoors } from '../doors.ts';
import { findProgram } from '../find-program.ts';

/** The program, and a kernel that answers it. */
export async function lookAtNft(doors: DoctorDoors) {
  if (!(await findProgram(doors, 'nft', ['--version']))) {
    return fail('the program nft is not installed', 'sudo apt-get install nftables');
  }
  if (!(await doors.isNetworkAdmin())) return skip('only root may look: sudo tributary doctor');
  try {
    await doors.exec({ program: 'nft', args: ['list', 'tables'], doing: 'listing the nft tables' });
    return pass('answers');
  } catch (error) {
    if (!hasCode(error, 'command-failed')) throw error;
    return fail(error.message, 'sudo modprobe nf_tables');
  }
}
