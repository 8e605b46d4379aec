import { fail, pass, skip } from '../check.ts';
import { isContainer } from '../container.ts';
import type { DoctorHost } from '../host.ts';
import { findBackend, hasKernelWireGuard } from '../kernel-wireguard.ts';

const device = '/dev/net/tun';

/** wireguard-go needs it, the kernel's WireGuard does not. */
export async function lookAtTun(host: DoctorHost) {
  const backend = await findBackend(host);
  const isForKernel = backend === 'kernel' || (backend === 'auto' && (await hasKernelWireGuard(host)));
  if (isForKernel) return pass("not needed: the kernel's own WireGuard carries the tunnel");
  const code = await host.disk.tryOpen(device);
  if (code === undefined) return pass(`${device} opens`);
  const inContainer = await isContainer(host);
  if (code === 'EACCES' || code === 'EPERM') {
    if (host.userId !== 0) return skip(`${device} is closed to this user: sudo tributary doctor`);
    return fail(
      `${device} may not be opened`,
      inContainer ? 'docker run --device /dev/net/tun …' : `sudo chmod 0666 ${device}`,
    );
  }
  return fail(`${device} is missing`, inContainer ? 'docker run --device /dev/net/tun …' : 'sudo modprobe tun');
}
