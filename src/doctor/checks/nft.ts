import { hasCode } from '../../lib/errors.ts';
import { fail, pass, skip } from '../check.ts';
import { findProgram } from '../find-program.ts';
import type { DoctorHost } from '../host.ts';

/** The program, and a kernel that answers it. */
export async function lookAtNft(host: DoctorHost) {
  if (!(await findProgram(host, 'nft', ['--version']))) {
    return fail('the program nft is not installed', 'sudo apt-get install nftables');
  }
  if (!(await host.isNetworkAdmin())) return skip('only root may look: sudo tributary doctor');
  try {
    await host.exec({ program: 'nft', args: ['list', 'tables'], doing: 'listing the nft tables' });
    return pass('answers');
  } catch (error) {
    if (!hasCode(error, 'command-failed')) throw error;
    return fail(error.message, 'sudo modprobe nf_tables');
  }
}
