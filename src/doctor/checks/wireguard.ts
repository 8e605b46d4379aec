import { fail, pass } from '../check.ts';
import { findProgram } from '../find-program.ts';
import type { DoctorHost } from '../host.ts';
import { findBackend, hasKernelWireGuard } from '../kernel-wireguard.ts';

/** The tool, and something that carries the tunnel. */
export async function lookAtWireGuard(host: DoctorHost) {
  const [backend, hasTool, isInKernel, hasGo] = await Promise.all([
    findBackend(host),
    findProgram(host, 'wg', ['--version']),
    hasKernelWireGuard(host),
    findProgram(host, 'wireguard-go', ['--version']),
  ]);
  if (!hasTool) return fail('the program wg is not installed', 'sudo apt-get install wireguard-tools');
  if (isInKernel && backend !== 'userspace') return pass("the kernel's own");
  if (backend === 'kernel')
    return fail('this kernel has none, and tunnel.backend asks for it', 'sudo modprobe wireguard');
  if (hasGo) return pass('wireguard-go');
  return fail('nothing carries it here: wireguard-go is not installed', 'sudo apt-get install wireguard-go');
}
