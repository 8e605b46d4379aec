import type { LoadedConfig } from '../config/load.ts';
import { defineCommand } from './command.ts';
import type { CommandContext } from './context.ts';
import { loadConfig } from './load-config.ts';
import { renderJson } from './present/text.ts';

/** `tributary plan`: what would be applied, and what differs from the kernel now. */
export const plan = defineCommand({
  usage: 'plan',
  description: 'print the rules, routes and settings that would be applied, and what differs now; changes nothing',
  options: {
    '--json': 'one JSON object: firewall, tunnel, settings, routing, differences',
    '--own-namespace': 'use the current network namespace, even if it contains physical interfaces',
  },
  examples: {
    'tributary plan': 'every rule, as nft and ip are given it',
    'tributary plan --json': 'for a script: differences is empty where nothing would change',
  },
  async act({ options }, context) {
    await showPlan(await loadConfig(options, context), options, context);
  },
});

interface PlanOptions {
  readonly json?: boolean;
  readonly ownNamespace?: boolean;
}

/** Prints the plan for the agent's namespace. @throws host-namespace, not-allowed, command-failed */
export async function showPlan(loaded: LoadedConfig, options: PlanOptions, context: CommandContext): Promise<void> {
  const [{ planInside }, { exec }] = await Promise.all([
    import('../namespace/plan-inside.ts'),
    import('../system/exec.ts'),
  ]);
  const isHere = options.ownNamespace === true;
  const inside = isHere ? undefined : await planInside(process.argv.slice(1), context.environment);
  if (inside !== undefined) return void context.stdout.write(inside);
  const [{ planNow }, { renderPlan }] = await Promise.all([
    import('../agent/plan-now.ts'),
    import('./present/plan.ts'),
  ]);
  const planned = await planNow(loaded, exec);
  context.stdout.write(options.json === true ? `${renderJson(planned)}\n` : renderPlan(planned));
}
