import { hasWayBack } from '../../gateway/routes.ts';
import { phaseTraits } from '../../health/phase-traits.ts';
import type { StatusDocument } from '../../status/document.ts';
import type { Network } from '../../system/ip.ts';
import { type Finding, fail, pass, skip } from '../check.ts';
import { findFix } from '../find-fix.ts';
import type { DoctorHost } from '../host.ts';

/**
 * Each source of consumers' traffic, whatever its kind: its device is there, its other end answers,
 * and answers to its consumers are routed to it. The first failure is the finding.
 */
export async function lookAtSources(host: DoctorHost): Promise<Finding> {
  const status = await host.status();
  // Another user is not shown the routes of the agent's namespace, but everything else.
  const network = (await host.isNetworkAdmin()) ? await host.network() : undefined;
  const findings = status.sources.map((source) => lookAtSource(source, status, network));
  const worst = ['fail', 'skip'] as const;
  const [first] = worst.flatMap((bad) => findings.filter(({ verdict }) => verdict === bad));
  if (first !== undefined) return first;
  if (findings.length === 0) return skip(`none is set up yet: the agent is ${status.phase}`);
  return pass(findings.map(({ found }) => found).join('; '));
}

function lookAtSource(
  source: StatusDocument['sources'][number],
  { phase, gateway }: StatusDocument,
  network: Pick<Network, 'routes'> | undefined,
): Finding {
  const { name, interface: device, there, aliveSince, problem } = source;
  const fix = findFix(problem?.code);
  if (!there && problem === null && !phaseTraits[phase].isReady)
    return skip(`${name} has no device yet: the agent is ${phase}`);
  if (!there) return fail(problem?.message ?? `the device ${device} of ${name} is gone`, fix);
  if (aliveSince === null)
    return fail(problem?.message ?? `nobody answers at the other end of ${name}`, fix);
  if (network === undefined) return pass(`${name} on ${device} is alive, the agent says`);
  if (gateway.uplink !== null && !hasWayBack(network, device)) {
    return fail(
      `answers to consumers of ${name} are not routed to ${device}`,
      'The agent puts the route back. To see what removes it: ip monitor route',
    );
  }
  return pass(`${name} on ${device} is alive, and answers are routed to it`);
}
