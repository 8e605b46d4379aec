import type { TunnelSpec } from '../tunnel/spec.ts';
import type { DoctorHost } from './host.ts';

/** The tunnel's other end: the name resolved; undefined where no tunnel was issued or the name has no address. */
export async function findEndpoint(
  host: Pick<DoctorHost, 'tunnel' | 'resolve'>,
): Promise<{ readonly spec: TunnelSpec; readonly address: string } | undefined> {
  const spec = await host.tunnel();
  if (spec === undefined) return undefined;
  const address = await host.resolve(spec.peer.endpoint.host);
  return address === undefined ? undefined : { spec, address };
}
