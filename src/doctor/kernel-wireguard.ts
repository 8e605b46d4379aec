import type { DoctorHost } from './host.ts';

/** The configured backend of the tunnel; `auto` where the configuration cannot be read. */
export async function findBackend({ configuration }: Pick<DoctorHost, 'configuration'>) {
  return configuration().then(
    ({ config }) => config.tunnel.backend,
    () => 'auto' as const,
  );
}

/** True where this kernel has WireGuard, loaded, built in or as a module that can be. Nothing is loaded to find out. */
export async function hasKernelWireGuard({ disk }: Pick<DoctorHost, 'disk'>): Promise<boolean> {
  if (await disk.isThere('/sys/module/wireguard')) return true;
  const release = (await disk.read('/proc/sys/kernel/osrelease'))?.trim();
  const lists = await Promise.all(
    ['modules.dep', 'modules.builtin'].map((name) => disk.read(`/lib/modules/${release}/${name}`)),
  );
  return lists.some((text) => /\/wireguard\.ko/.test(text ?? ''));
}
