import { fail, pass, skip } from '../check.ts';
import { isContainer } from '../container.ts';
import type { DoctorDoors } from '../doors.ts';
import { findBackend, hasKernelWireGuard } from '../kernel-wireguard.ts';

const device = '/dev/net/tun';

/** wireguard-go needs it, the kernel's WireGuard does not. */
export async function lookAtTun(doors: DoctorDoors) {
  const backend = await findBackend(doors);
  const isForKernel = backend === 'kernel' || (backend === 'auto' && (await hasKernelWireGuard(doors)));
  if (isForKernel) return pass("not needed: the kernel's own WireGuard carries the tunnel");
  const code = await doors.disk.tryOpen(device);
  if (code === undefined) return pass(`${device} opens`);
  const inContainer = await isContainer(doors);
  if (code === 'EACCES' || code === 'EPERM') {
    if (doors.userId !== 0) return skip(`${device} is closed to this user: sudo tributary doctor`);
    return fail(
      `${device} may not be opened`,
      inContainer ? 'docker run --device /dev/net/tun …' : `sudo chmod 0666 ${device}`,
    );
  }
  return fail(`${device} is missing`, inContainer ? 'docker run --device /dev/net/tun …' : 'sudo modprobe tun');
}
