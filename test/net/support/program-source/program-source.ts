import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { ObservedDevice, Source } from '../../../../src/source/source.ts';
import type { Exec } from '../../../../src/system/exec.ts';
import { type Carried, readCarried } from '../../../../src/system/traffic.ts';
import { createProgramDriver, type ProgramSettings, wantProgram } from './program-driver.ts';

export interface ProgramSourceSettings extends ProgramSettings {
  readonly addresses: readonly string[];
  /** What feeds the device, once that is made; it says a line when it does. */
  readonly command: readonly [string, ...string[]];
}

/**
 * The second source as the agent holds it: a child process feeds the device, and the source is
 * alive as long as that runs. A child that ends is started again by the next pass.
 */
export function createProgramSource(exec: Exec, settings: ProgramSourceSettings): Source {
  const driver = createProgramDriver(exec, settings);
  let found: ObservedDevice = { kind: 'absent' };
  let child: ChildProcess | undefined;
  let since: Date | undefined;
  let carried: Carried | undefined;

  const start = () => {
    const [program, ...args] = settings.command;
    const started = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    child = started;
    createInterface({ input: started.stdout }).once('line', () => {
      since = new Date();
    });
    started.once('close', () => {
      if (child === started) child = undefined;
      since = undefined;
    });
    started.once('error', () => undefined);
  };
  return {
    driver,
    wantsIssuedTunnel: false,
    wanted: async () => ({
      wish: wantProgram(settings.device, settings.addresses),
      problem: undefined,
    }),
    take(observed) {
      found = observed;
      carried = readCarried(settings.device);
    },
    async sample() {
      const read = readCarried(settings.device);
      return () => {
        carried = read;
      };
    },
    async settle() {
      if (found.kind === 'present' && child === undefined) start();
    },
    follow() {},
    report: () => ({
      isThere: found.kind === 'present',
      life: since && { since, until: undefined },
      traffic: carried,
      consumers: undefined,
      market: undefined,
      asksService: false,
    }),
    async close() {
      child?.stdin?.end();
    },
  };
}
