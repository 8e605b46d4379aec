import type { PlanNow } from '../../../agent/pass/plan-now.ts';
import type { LoadedConfig } from '../../../config/load.ts';
import { defineCommand, type Show } from '../../frame/command.ts';
import { type CommandContext, loadConfig } from '../../frame/context.ts';
import { joinLines, joinSections } from '../../present/text.ts';

export const plan = defineCommand({
  usage: 'plan',
  description:
    'print the rules, routes and settings that would be applied, and what differs now; changes nothing',
  options: {
    '--json': 'one JSON object: firewall, tunnel, settings, routing, differences',
    '--own-namespace': 'use the current network namespace, even if it contains physical interfaces',
  },
  examples: {
    'tributary plan': 'every rule, as nft and ip are given it',
    'tributary plan --json': 'for a script: differences is empty where nothing would change',
  },
  async act(given, context) {
    await showPlan(await loadConfig(given.options, context), given, context);
  },
});

type PlanGiven = { readonly options: { readonly ownNamespace?: boolean }; readonly show: Show };

/**
 * Prints the plan for the agent's namespace. @throws host-namespace, not-allowed, command-failed
 */
export async function showPlan(
  loaded: LoadedConfig,
  { options, show }: PlanGiven,
  context: CommandContext,
) {
  const { planInside } = await import('../../../namespace/run-inside.ts');
  const { exec } = await import('../../../system/exec.ts');
  const inside =
    options.ownNamespace === true
      ? undefined
      : await planInside(process.argv.slice(1), context.environment);
  if (inside !== undefined) return void context.stdout.write(inside);
  const { planNow } = await import('../../../agent/pass/plan-now.ts');
  const planned = await planNow(loaded, exec);
  await show(planned, () => renderPlan(planned));
}

/**
 * The plan as text: first what is applied, in its order, and at the end what the kernel still
 * lacks.
 */
function renderPlan(plan: PlanNow): string {
  const { firewall, tunnel, settings, routing, differences } = plan;
  const changes = Object.entries(differences).flatMap(([name, lines]) =>
    lines.map((line) => `${name}: ${line}`),
  );
  const parts: readonly (readonly [string, readonly string[], string])[] = [
    ['Firewall, one transaction of nft -f -', firewall, ''],
    ['Tunnel', tunnel, explainNoTunnel(plan)],
    [
      'Kernel settings',
      settings,
      plan.uplink === undefined ? 'none: no uplink' : 'none: no tunnel',
    ],
    ['Routes and rules for them', routing, 'none: no tunnel'],
    ['What differs from the kernel now', changes, 'nothing'],
  ];
  return joinSections(
    parts.map(([title, lines, instead]) =>
      joinLines([`# ${title}`, ...(lines[0] === undefined ? [instead] : lines)]),
    ),
  );
}

function explainNoTunnel({ isRegistered, refusal, collision, nearEnd }: PlanNow): string {
  if (!isRegistered)
    return 'none: this device is not registered; `tributary run` registers it, and the service then issues a tunnel';
  if (nearEnd !== undefined) return `none: it would end at ${nearEnd}, in your own home's network`;
  if (collision !== undefined)
    return `none: its address ${collision} lies in a network that this device is in`;
  return `none${refusal === undefined ? '' : `: ${refusal}`}`;
}
