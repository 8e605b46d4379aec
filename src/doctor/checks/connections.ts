import { hostTableName } from '../../namespace/plan.ts';
import { isAlmostFull, parseConnectionTable } from '../../system/connection-table.ts';
import { type Finding, fail, pass, skip } from '../check.ts';
import type { DoctorHost } from '../host.ts';

const folder = '/proc/sys/net/netfilter';

/** Whether this machine has room for more connections, and forgets consumers' in time. */
export async function lookAtConnections(host: DoctorHost): Promise<Finding> {
  const names = ['nf_conntrack_count', 'nf_conntrack_max'];
  const texts = await Promise.all(names.map((name) => host.disk.read(`${folder}/${name}`)));
  const table = parseConnectionTable(texts.map((text) => text?.trim()).join(' '));
  if (table === undefined) return skip('the kernel tracks no connections yet');
  if (isAlmostFull(table)) {
    return fail(
      `${table.tracked} connections of ${table.most} at most: new ones are about to fail`,
      'See whose they are: sudo conntrack -L. More room: sudo sysctl -w net.netfilter.nf_conntrack_max=262144',
    );
  }
  const room = 'there is room for more connections';
  const place = await host.place();
  if (place.kind !== 'host' || place.inside === undefined) return pass(room);
  const listing = await host
    .exec({
      program: 'nft',
      args: ['--terse', 'list', 'table', 'inet', hostTableName],
      doing: "reading the host's side of the fence",
    })
    .catch(() => undefined);
  if (listing === undefined || listing.includes('ct timeout')) return pass(room);
  return fail(
    "this kernel has no ct timeout: the host keeps consumers' silent connections for days",
    'Use a kernel with CONFIG_NF_CONNTRACK_TIMEOUT, such as the one of the distribution',
  );
}
