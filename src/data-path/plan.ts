import { matchesDenied, renderDenied } from '../gateway/denied.ts';
import { matchesRuleset } from '../gateway/matches.ts';
import { type CarryingDevice, composeRouting, noRouting, planRouting } from '../gateway/routes.ts';
import { continueCounts, renderRuleset, toRuleset } from '../gateway/ruleset.ts';
import { listSysctls, planSysctls } from '../gateway/sysctls.ts';
import type { IpCommand } from '../system/ip.ts';
import { compareTables } from './compare-tables.ts';
import { composeDataPath, findFamilies, planPolicy, withNewDevices } from './compose.ts';
import { type ObservedHost, observeSysctls } from './observe.ts';
import { type PlannedSource, planSources } from './reconcile-sources.ts';
import { type DataPathHost, type DesiredDataPath, readTotals } from './state.ts';

const mostColumns = 400;

/** A pass as text: what would be there, and what the kernel lacks of it. */
export interface PlannedChanges extends PlannedLines {
  /** Each empty where the kernel has it all. */
  readonly differences: PlannedLines;
  readonly uplink: string | undefined;
  /** What a source wants that this machine's own network has already. It gets no device then. */
  readonly collision: string | undefined;
  /** Where a source would end, if that is one of the home's own addresses: no device either. */
  readonly nearEnd: string | undefined;
}

/**
 * A line a thing, in the order in which a pass makes them; `tunnel`: the commands that make the
 * sources' devices.
 */
type PlannedLines = Readonly<
  Record<'firewall' | 'tunnel' | 'settings' | 'routing', readonly string[]>
>;

/**
 * What a pass would make, and what the kernel lacks of it. Changes nothing.
 * @throws command-failed, missing-program
 */
export async function planChanges(
  { exec, sources: drivers }: Pick<DataPathHost, 'exec' | 'sources'>,
  desired: DesiredDataPath,
  observed: ObservedHost,
): Promise<PlannedChanges> {
  const { network, table } = observed;
  const composed = composeDataPath(desired, observed, drivers);
  const layout = withNewDevices(composed, []);
  const totals = readTotals(table) ?? desired.totals;
  const ruleset = toRuleset(planPolicy({ ...desired, layout }, totals));
  const firewall = renderRuleset(continueCounts(ruleset, table), totals);
  const { interfaces } = network;
  const sources = await planSources(composed.sources, { interfaces, failures: new Map() });
  const failure = sources.find((source) => source.failure !== undefined)?.failure;
  if (failure !== undefined) throw failure;
  const carrying = sources.flatMap(toCarrying);
  const isCarrying = carrying.length > 0;
  const hasIpv6 = carrying.some(({ families }) => families.includes(6));
  const settings = isCarrying ? listSysctls(layout, { hasIpv6 }) : [];
  const values = await observeSysctls(settings);
  // An interface that is still to be made will have its settings then.
  const isToCome = (path: string) =>
    sources.some(
      ({ observed: own, device }) => own.kind === 'absent' && path.includes(`/${device.name}/`),
    );
  const found = new Map(
    [...values].map(([path, value]) => [path, value ?? (isToCome(path) ? '' : undefined)]),
  );
  const toLine = ({ path, value }: (typeof settings)[number]) => `${path} = ${value}`;
  const routing = isCarrying ? composeRouting(layout, carrying) : noRouting;
  return {
    firewall: [
      ...toTextLines(firewall),
      ...[...renderDenied(undefined, composed.denied)].flatMap(toTextLines).map(shorten),
    ],
    tunnel: sources.flatMap(({ driver, wish }) =>
      driver.plan(wish, { kind: 'absent' }).flatMap((step) => driver.show(step)),
    ),
    settings: settings.map(toLine),
    routing: planRouting(routing, { ...network, ...noRouting }).map(toIpLine),
    differences: {
      firewall: [
        ...(await compareTables(exec, {
          firewall,
          isKnown: matchesRuleset(table, ruleset),
          devices: drivers.map(({ device }) => device),
          isThere: table !== undefined,
        })),
        ...(matchesDenied(observed.denied, composed.denied)
          ? []
          : ['+ the table of the destinations that are denied']),
      ],
      tunnel: sources.flatMap(({ driver, steps }) => steps.flatMap((step) => driver.show(step))),
      settings: planSysctls(settings, found).map(toLine),
      routing: isCarrying ? planRouting(routing, network).map(toIpLine) : [],
    },
    uplink: layout.uplink,
    collision: sources.find(({ collision }) => collision !== undefined)?.collision,
    nearEnd: sources.find(({ nearEnd }) => nearEnd !== undefined)?.nearEnd,
  };
}

/** The device with the families that it will carry; one that stays as it is has those it has. */
function toCarrying({ wish, observed, device }: PlannedSource): readonly CarryingDevice[] {
  switch (wish.kind) {
    case 'absent':
      return [];
    case 'untouched':
      return observed.kind === 'present'
        ? [{ name: device.name, families: findFamilies(observed.addresses) }]
        : [];
    case 'present':
      return [
        {
          name: device.name,
          families: findFamilies(wish.addresses.map(({ address }) => address)),
        },
      ];
    default:
      return wish satisfies never;
  }
}

function shorten(line: string): string {
  return line.length <= mostColumns
    ? line
    : `${line.slice(0, mostColumns)} … (${line.split(',').length} elements)`;
}

function toIpLine({ family, line }: IpCommand): string {
  return `ip -${family} ${line}`;
}

function toTextLines(text: string): readonly string[] {
  return text.trimEnd().split('\n');
}
