import { defineCommand } from '../../frame/command.ts';
import { loadConfig } from '../../frame/context.ts';

export const run = defineCommand({
  usage: 'run',
  description: 'run the agent in the foreground until stopped',
  examples: { 'tributary run': 'until Ctrl-C', 'tributary run --dry-run': 'what it would do' },
  options: {
    '--own-namespace': 'use the current network namespace, even if it contains physical interfaces',
    '--dry-run': 'print what would be applied, as `tributary plan` does, and exit',
    '--keep-fence':
      'leave the firewall in place on exit, closed, so that connections survive a restart',
  },
  async act(given, context) {
    const { options } = given;
    // Zod would compile a function for each schema. Most things are read only once, so that costs
    // more than it saves.
    (await import('zod')).config({ jitless: true });
    const { findNodeProblems } = await import('../../../config/node-variables.ts');
    const nodeProblems = findNodeProblems(context.environment);
    const load = () => loadConfig(options, context, nodeProblems);
    const loaded = await load();
    if (options.dryRun === true) {
      const { showPlan } = await import('./plan.ts');
      return showPlan(loaded, given, context);
    }
    if (options.ownNamespace !== true) {
      const { runInside } = await import('../../../namespace/run-inside.ts');
      const exitCode = await runInside(loaded, process.argv.slice(1), context.environment);
      if (exitCode !== undefined) {
        process.exitCode = exitCode;
        return;
      }
    }
    const { runAgent } = await import('../../../agent/run-agent.ts');
    const { readSupervision } = await import('../../../config/supervision.ts');
    const supervision = readSupervision(context.environment, process.pid);
    const { changeSetting } = await import('../../../config/settings.ts');
    await runAgent({
      loaded,
      load,
      writeSetting: async (change) => changeSetting(await load(), change, context.environment),
      supervision,
      keepsFence: options.keepFence === true,
    });
  },
});
