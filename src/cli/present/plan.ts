import type { PlanNow } from '../../agent/plan-now.ts';

/** The plan as text: what is applied in its order, and at its end what the kernel does not have yet. */
export function renderPlan(plan: PlanNow): string {
  const { firewall, tunnel, settings, routing, differences } = plan;
  const parts: readonly (readonly [string, readonly string[], string])[] = [
    ['Firewall, one transaction of nft -f -', firewall, ''],
    ['Tunnel', tunnel, explainNoTunnel(plan)],
    ['Kernel settings', settings, plan.uplink === undefined ? 'none: no uplink' : 'none: no tunnel'],
    ['Routes and rules for them', routing, 'none: no tunnel'],
  ];
  const changes = Object.entries(differences).flatMap(([name, lines]) => lines.map((line) => `${name}: ${line}`));
  return [
    ...parts
      .flatMap(([title, lines, instead]) => ['', `# ${title}`, ...(lines.length === 0 ? [instead] : lines)])
      .slice(1),
    '',
    '# What differs from the kernel now',
    ...(changes.length === 0 ? ['nothing'] : changes),
    '',
  ].join('\n');
}

function explainNoTunnel({ isRegistered, refusal, collision }: PlanNow): string {
  if (!isRegistered)
    return 'none: this device is not registered; `tributary run` registers it, and the service then issues a tunnel';
  if (collision !== undefined) return `none: its address ${collision} lies in a network that this device is in`;
  return `none${refusal === undefined ? '' : `: ${refusal}`}`;
}
