import { hasCode, TributaryError } from '../errors/codes.ts';
import type { Exec } from '../system/exec.ts';
import { checkOwner, makeNamespace } from './owner.ts';
import { hostSide, type Link, namespaceName, namespaceSide } from './plan.ts';

/** Whether the namespace is there. @throws command-failed */
export async function hasNamespace(exec: Exec): Promise<boolean> {
  const text = await exec({
    program: 'ip',
    args: ['netns', 'list'],
    doing: 'listing the network namespaces',
  });
  return text.split('\n').some((line) => line.split(' ')[0] === namespaceName);
}

/**
 * Makes the link. Its MTU is not larger than the uplink's, and the agent inside fits its tunnel to
 * it.
 * @throws not-allowed, command-failed
 */
export async function makeLink(
  exec: Exec,
  link: Link & { readonly mtu: number; readonly isThere: boolean },
): Promise<void> {
  if (await hasNamespace(exec)) await checkOwner(exec);
  else await makeNamespace(exec).catch(explain);
  const onHost = [
    ...(link.isThere
      ? []
      : [`link add ${hostSide} type veth peer name ${namespaceSide} netns ${namespaceName}`]),
    `address replace ${link.hostAddress}/30 dev ${hostSide}`,
    `link set ${hostSide} mtu ${link.mtu} up`,
  ];
  const inside = [
    'link set lo up',
    `address replace ${link.namespaceAddress}/30 dev ${namespaceSide}`,
    `link set ${namespaceSide} mtu ${link.mtu} up`,
    `route replace default via ${link.hostAddress}`,
  ];
  const input = `${onHost.join('\n')}\n`;
  await exec({ program: 'ip', args: ['-batch', '-'], input, doing: 'connecting the namespace' });
  const args = ['-netns', namespaceName, '-batch', '-'];
  await exec({
    program: 'ip',
    args,
    input: `${inside.join('\n')}\n`,
    doing: 'connecting the namespace from inside',
  });
}

/** Says of what the system did not permit that it takes another right. */
export function explain(error: unknown): never {
  if (hasCode(error, 'command-failed') && /not permitted|denied/i.test(error.message)) {
    throw new TributaryError('not-allowed', error.message, { cause: error });
  }
  throw error;
}
