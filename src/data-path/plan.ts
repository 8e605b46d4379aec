import { matchesDenied, renderDenied } from '../gateway/denied.ts';
import { matchesRuleset } from '../gateway/matches.ts';
import { composeRouting, noRouting, planRouting } from '../gateway/routes.ts';
import { continueCounts, renderRuleset, toRuleset } from '../gateway/ruleset.ts';
import { listSysctls, planSysctls } from '../gateway/sysctls.ts';
import { includesIpv6 } from '../lib/addresses.ts';
import { toCommand } from '../source/wireguard/apply.ts';
import { observeTunnel } from '../source/wireguard/observe.ts';
import { planTunnel, type TunnelStep } from '../source/wireguard/plan.ts';
import { renderWireGuard } from '../source/wireguard/render.ts';
import type { Exec } from '../system/exec.ts';
import type { IpCommand } from '../system/ip.ts';
import { compareTables } from './compare-tables.ts';
import { composeDataPath, planPolicy } from './compose.ts';
import { type ObservedHost, observeSysctls } from './observe.ts';
import { type DesiredDataPath, readTotals } from './state.ts';

const mostColumns = 400;

/**
 * The steps of a pass as text, one line each, and then what the kernel lacks of them.
 * @throws command-failed, missing-program
 */
export async function planChanges(exec: Exec, desired: DesiredDataPath, observed: ObservedHost) {
  const { network, table } = observed;
  const composed = composeDataPath(desired, observed);
  const { denied, collision, possible } = composed;
  const layout = {
    ...composed.layout,
    isTunnelThere: composed.layout.isTunnelThere || possible.kind === 'present',
  };
  const totals = readTotals(table) ?? desired.totals;
  const ruleset = toRuleset(planPolicy({ ...desired, layout }, totals));
  const firewall = renderRuleset(continueCounts(ruleset, table), totals);
  const tunnel = await observeTunnel({ exec }, possible.interface, network.interfaces);
  const kept =
    possible.kind === 'untouched' && tunnel.kind === 'present' ? tunnel.addresses : undefined;
  const addresses =
    possible.kind === 'present' ? possible.spec.addresses.map(({ address }) => address) : kept;
  const carried = addresses && { hasIpv6: includesIpv6(addresses) };
  const settings = carried ? listSysctls(layout, carried) : [];
  const values = await observeSysctls(settings);
  // An interface that is still to be made will have its settings then.
  const isToCome = (path: string) =>
    tunnel.kind === 'absent' && path.includes(`/${possible.interface}/`);
  const found = new Map(
    [...values].map(([path, value]) => [path, value ?? (isToCome(path) ? '' : undefined)]),
  );
  const toLine = ({ path, value }: (typeof settings)[number]) => `${path} = ${value}`;
  const routing = carried ? composeRouting(layout, carried) : noRouting;
  const toSteps = (from: typeof tunnel) =>
    planTunnel(possible, from).flatMap((step) => toLines(step));
  return {
    firewall: [
      ...toTextLines(firewall),
      ...[...renderDenied(undefined, denied)].flatMap(toTextLines).map(shorten),
    ],
    tunnel: toSteps({ kind: 'absent' }),
    settings: settings.map(toLine),
    routing: planRouting(routing, { ...network, ...noRouting }).map(toIpLine),
    /** Each list is empty where the kernel lacks nothing. */
    differences: {
      firewall: [
        ...(await compareTables(exec, {
          firewall,
          isKnown: matchesRuleset(table, ruleset),
          tunnelInterface: possible.interface,
          isThere: table !== undefined,
        })),
        ...(matchesDenied(observed.denied, denied)
          ? []
          : ['+ the table of the destinations that are denied']),
      ],
      tunnel: toSteps(tunnel),
      settings: planSysctls(settings, found).map(toLine),
      routing: carried ? planRouting(routing, network).map(toIpLine) : [],
    },
    uplink: layout.uplink,
    /** The tunnel's address that also lies in the device's own network. There is no tunnel then. */
    collision,
  };
}

function shorten(line: string): string {
  return line.length <= mostColumns
    ? line
    : `${line.slice(0, mostColumns)} … (${line.split(',').length} elements)`;
}

/** A step's command line. For `wg` its configuration follows, with the secrets hidden. */
function toLines(step: TunnelStep): readonly string[] {
  const { program, args } = toCommand(step, 'wireguard.conf');
  const line = [program, ...args].join(' ');
  if (step.kind !== 'configure') return [line];
  return [line, ...toTextLines(renderWireGuard(step.settings, String)).map((text) => `  ${text}`)];
}

function toIpLine({ family, line }: IpCommand): string {
  return `ip -${family} ${line}`;
}

function toTextLines(text: string): readonly string[] {
  return text.trimEnd().split('\n');
}
