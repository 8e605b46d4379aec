import type { TunnelSpec } from '../tunnel/spec.ts';
import type { DoctorDoors } from './doors.ts';

/** The tunnel's other end: the name resolved; undefined where no tunnel was issued or the name has no address. */
export async function findEndpoint(
  doors: Pick<DoctorDoors, 'tunnel' | 'resolve'>,
): Promise<{ readonly spec: TunnelSpec; readonly address: string } | undefined> {
  const spec = await doors.tunnel();
  if (spec === undefined) return undefined;
  const address = await doors.resolve(spec.peer.endpoint.host);
  return address === undefined ? undefined : { spec, address };
}
