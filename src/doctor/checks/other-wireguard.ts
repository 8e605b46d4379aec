import { fail, pass, skip } from '../check.ts';
import type { DoctorHost } from '../host.ts';
import { insideAsRoot } from '../inside-as-root.ts';

/** Two interfaces with one key take the tunnel from each other; two on one port cannot both be up. */
export async function lookAtOtherWireGuard(host: DoctorHost) {
  const spec = await host.tunnel();
  if (spec === undefined) return skip('no tunnel was issued yet');
  const inside = await insideAsRoot(host);
  const own = (await host.configuration()).config.tunnel.interface;
  const list = async (exec: typeof inside, what: string) => {
    const text = await exec({ program: 'wg', args: ['show', 'all', what], doing: `reading every ${what}` });
    return text.split('\n').map((line) => line.split('\t'));
  };
  const [hereKeys, insideKeys, ports] = await Promise.all([
    list(host.exec, 'public-key'),
    list(inside, 'public-key'),
    list(inside, 'listen-port'),
  ]);
  const twin = [...hereKeys, ...insideKeys].find(([name, key]) => name !== own && key === spec.publicKey)?.[0];
  if (twin !== undefined) return fail(`${twin} has the tunnel's key as well`, `sudo ip link delete ${twin}`);
  const port = ports.find(([name]) => name === own)?.[1];
  const rival = ports.find(([name, other]) => name !== own && other === port && port !== '0')?.[0];
  if (port === undefined || rival === undefined) return pass('none in the way');
  return fail(`${rival} listens on the tunnel's port ${port}`, `sudo wg set ${rival} listen-port 0`);
}
