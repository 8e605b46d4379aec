import { openSources } from '../../../../src/agent/pass/open-sources.ts';
import { runAgent } from '../../../../src/agent/run-agent.ts';
import { loadConfig } from '../../../../src/config/load.ts';
import { readSupervision } from '../../../../src/config/supervision.ts';
import { exec } from '../../../../src/system/exec.ts';
import { keepProgram } from '../../../../src/system/kept-program.ts';
import { claimNamespace } from '../../../../src/system/lock.ts';
import { createProgramSource, type ProgramSourceSettings } from './program-source.ts';

/*
 * The agent, with a program as its second source: run-with-program.ts CONFIG STATE-DIRECTORY
 * SETTINGS, where the settings are the source's, as JSON.
 */
const [configPath = '', stateDirectory = '', settings = '{}'] = process.argv.slice(2);
const load = () => loadConfig({ configPath, stateDirectory, environment: process.env });

await runAgent({
  loaded: await load(),
  load,
  writeSetting: async () => undefined,
  supervision: readSupervision(process.env, process.pid),
  keepsFence: false,
  surroundings: {
    exec,
    keepProgram,
    claimNamespace,
    signals: process,
    stdout: process.stdout,
    openSources: async (given) => {
      const opened = await openSources(given);
      const program = createProgramSource(
        given.host.exec,
        JSON.parse(settings) as ProgramSourceSettings,
      );
      return { ...opened, all: [...opened.all, program] };
    },
  },
});
