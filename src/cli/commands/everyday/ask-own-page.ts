import { readConfigFile } from '../../../config/config-file.ts';
import { valueAt } from '../../../config/tree.ts';
import { parseHostPort } from '../../../lib/host-port.ts';
import { askPage } from '../../../status/socket-client.ts';
import type { CommandContext, PathOptions } from '../../frame/context.ts';

/** Addresses that stand for every address, and the one at which this machine reaches itself. */
const own: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * The answer of this machine's status page, wherever the configuration has it. Rejects without a
 * page.
 */
export async function askOwnPage(
  question: Parameters<typeof askPage>[1],
  { config }: PathOptions,
  { environment }: CommandContext,
): Promise<unknown> {
  const { tree } = await readConfigFile({ configPath: config, environment });
  const named = environment.TRIBUTARY_STATUS_LISTEN || valueAt(tree, ['status', 'listen']);
  const { host, port } = parseHostPort(`${named ?? '127.0.0.1:9469'}`) ?? { host: '', port: 0 };
  if (port === 0) throw new Error('there is no page');
  return await askPage({ host: own[host] ?? host, port }, question);
}
