import { fail, pass } from '../check.ts';
import type { DoctorDoors } from '../doors.ts';
import { findProgram } from '../find-program.ts';
import { findBackend, hasKernelWireGuard } from '../kernel-wireguard.ts';

/** The tool, and something that carries the tunnel. */
export async function lookAtWireGuard(doors: DoctorDoors) {
  const [backend, hasTool, isInKernel, hasGo] = await Promise.all([
    findBackend(doors),
    findProgram(doors, 'wg', ['--version']),
    hasKernelWireGuard(doors),
    findProgram(doors, 'wireguard-go', ['--version']),
  ]);
  if (!hasTool) return fail('the program wg is not installed', 'sudo apt-get install wireguard-tools');
  if (isInKernel && backend !== 'userspace') return pass("the kernel's own");
  if (backend === 'kernel')
    return fail('this kernel has none, and tunnel.backend asks for it', 'sudo modprobe wireguard');
  if (hasGo) return pass('wireguard-go');
  return fail('nothing carries it here: wireguard-go is not installed', 'sudo apt-get install wireguard-go');
}
