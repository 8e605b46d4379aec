import { join } from 'node:path';
import { profileNames } from '../../../service/profiles.ts';
import { isInContainer } from '../../../system/container-state.ts';
import { runAttached } from '../../../system/exec.ts';
import { isThere } from '../../../system/files.ts';
import { defineCommand, refuse } from '../../frame/command.ts';

/**
 * What prepares the namespaces, and what to do afterwards. The page is offered where a browser can
 * reach this machine's loopback.
 */
const ways = {
  host: { script: 'enter-with-page.sh', next: 'set this device up: sudo tributary setup' },
  container: {
    script: 'enter.sh',
    next: 'start the container as compose.yaml does, and sign in: tributary login',
  },
} as const;

/**
 * `tributary demo`: a service, a consumer and a home of this machine's own, in namespaces that
 * reach nothing outside. It needs neither an account nor root.
 */
export const demo = defineCommand({
  usage: 'demo',
  description: 'see it share a connection, in networks that exist on this machine alone',
  options: {
    '--keep': 'leave everything running until Ctrl-C, with the status page in your browser',
    '--source <source>': [
      "how consumers come: the tunnel, or the network's own protocol",
      (own) => own.choices(['wireguard', 'connect']).default('wireguard'),
    ],
    '--profile <profile>': [
      'the profile that its service speaks',
      (own) => own.choices([...profileNames]).default('documented'),
    ],
    '--json': 'one JSON object with what was measured',
  },
  examples: {
    'tributary demo': 'about 20 seconds; no account, no root, nothing is left behind',
    'tributary demo --keep': 'the same, to look around',
  },
  async act({ options }, { setExitCode }) {
    // Beside the installed program.
    const way = ways[(await isInContainer()) ? 'container' : 'host'];
    const script = join(import.meta.dirname, 'tools/lab', way.script);
    const program = join(import.meta.dirname, 'demo.cjs');
    if (!(await isThere(script)) || !(await isThere(program)))
      throw refuse('this is no installed program', { action: 'In a clone: npm run demo' });
    const { keep, json, source, profile } = options;
    const flags = [
      ...(keep === true ? ['--keep'] : []),
      ...(json === true ? ['--json'] : []),
      `--source=${source}`,
      `--profile=${profile}`,
    ];
    const words = [`LAB_OF_TRIBUTARY_NEXT=${way.next}`, 'sh', script, process.execPath, program];
    const exitCode = await runAttached('env', [...words, ...flags]);
    // 77: this machine lets nobody make namespaces, which has been told.
    if (exitCode !== 0) setExitCode(exitCode === 77 ? 77 : 1);
  },
});
