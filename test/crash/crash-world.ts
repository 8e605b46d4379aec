import { existsSync, readFileSync } from 'node:fs';
import { cp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toUndefined } from '../../src/errors/codes.ts';
import { parseJson } from '../../src/lib/parse-json.ts';
import type { Lab } from '../../tools/lab/lab.ts';
import { type LabProcess, startProcess } from '../../tools/lab/processes.ts';
import { countClients, createTestLab, signIn } from '../net/support/test-lab.ts';

/** One thing that the agent did to the world. */
export interface Effect {
  /** From 1, in the order in which they began. */
  readonly number: number;
  readonly kind: 'file' | 'program' | 'request';
  readonly what: string;
}

/** Where the agent is killed. */
export interface Moment {
  readonly when: 'before' | 'after';
  readonly effect: Effect;
}

export interface Recovery {
  readonly moment: Moment;
  /** From the start after it until it provides. */
  readonly seconds: number;
  /** What is not as it has to be. */
  readonly faults: readonly string[];
}

/**
 * A lab with a device that is signed in; each round begins with what it knew then, and nothing
 * else.
 */
export interface CrashWorld {
  remove(): Promise<void>;
  /** Every effect of a whole life: from the start until it provides, and to the end of the stop. */
  listEffects(): Promise<readonly Effect[]>;
  /** Kills the agent there, starts it again, and looks at what came of it. */
  crash(moment: Moment): Promise<Recovery>;
}

/** A life that takes longer to provide is ended. */
const lifeMs = 30_000;
const hook = join(import.meta.dirname, 'kill-at.cjs');
const isProviding = (status: { readonly phase: string }) => status.phase === 'providing';

/** Makes one. @throws LabError */
export async function createCrashWorld(id: string): Promise<CrashWorld> {
  const lab = await createTestLab({
    id,
    profile: 'documented',
    config: { gateway: { allow_destinations: ['192.0.2.0/24'] } },
  });
  await signIn(lab);
  const signedIn = join(lab.directory, 'signed-in');
  await cp(lab.stateDirectory, signedIn, { recursive: true });
  const log = join(lab.directory, 'effects');

  const untouched = await describeDevice(lab);
  const begin = async () => {
    for (const name of await readdir(lab.stateDirectory))
      await rm(join(lab.stateDirectory, name), { recursive: true });
    await cp(signedIn, lab.stateDirectory, { recursive: true });
    await rm(log, { force: true });
  };
  /** Starts the agent with the hook; the lab's own start has none. */
  const start = (crashAt = '') => {
    const [program, ...args] = lab.command('run');
    const node = args.indexOf(process.execPath);
    const argv = [program, ...args.toSpliced(node + 1, 0, '--require', hook)] as const;
    return startProcess({ argv, env: { CRASH_AT: crashAt, CRASH_LOG: log } });
  };
  /** Lets it provide, then stops it; resolves when it has ended, however. */
  const live = async (agent: LabProcess) => {
    let hasEnded = false;
    const ended = agent.exited.then(() => {
      hasEnded = true;
    });
    const patience = AbortSignal.timeout(lifeMs);
    while (!hasEnded && !patience.aborted) {
      const status = await lab.status().catch(toUndefined());
      if (status !== undefined && isProviding(status)) break;
      await sleep(20);
    }
    agent.kill(patience.aborted ? 'SIGKILL' : 'SIGTERM');
    await ended;
  };
  return {
    remove: () => lab.remove(),
    async listEffects(): Promise<readonly Effect[]> {
      await begin();
      await live(start());
      const lines = readFileSync(log, 'utf8').trim().split('\n');
      return lines.map((line) => parseJson(line) as Effect);
    },
    async crash(moment: Moment): Promise<Recovery> {
      await begin();
      const before = await countClients(lab);
      await live(start(`${moment.when} ${moment.effect.number}`));
      await letTimePass(lab.stateDirectory);
      const startedMs = performance.now();
      const agent = lab.startAgent({ TRIBUTARY_AUTH_CODE: '' });
      const status = await lab.waitForStatus(isProviding).catch(String);
      const seconds = (performance.now() - startedMs) / 1000;
      const faults = [
        ...(typeof status === 'string' ? [status] : []),
        ...((await countClients(lab)) === before + 1 ? [] : ['a second client']),
        ...(await findStateFaults(lab)),
      ];
      agent.kill('SIGTERM');
      const exitCode = await agent.exited;
      if (exitCode !== 0) faults.push(`it ended with ${exitCode}`);
      if ((await describeDevice(lab)) !== untouched) faults.push('the device is not as it was');
      return { moment, seconds, faults };
    },
  };
}

/**
 * What was written there was written long ago: the agent sweeps nothing that a command may be
 * writing now.
 */
async function letTimePass(directory: string): Promise<void> {
  const earlier = new Date(Date.now() - 120_000);
  for (const name of await readdir(directory))
    await utimes(join(directory, name), earlier, earlier);
}

/** All that an agent changes there and takes back when it is stopped. */
function describeDevice({ network }: Lab): Promise<string> {
  const settings = "sysctl -a --pattern '\\.(forwarding|rp_filter|nf_conntrack_.*timeout.*)$' 2>&1";
  return network.run(
    'device',
    'sh',
    '-c',
    `nft list ruleset; ip -br link; ip rule; ip route; ${settings}`,
  );
}

/**
 * What a kill left in the state directory: half a file under a name of its own, or one that had to
 * be set aside.
 */
async function findStateFaults({ stateDirectory }: Lab): Promise<readonly string[]> {
  const names = await readdir(stateDirectory);
  const odd = names
    .filter((name) => /\.broken-|^\.[\w.-]+\.[0-9a-f]{8}$/.test(name))
    .map((name) => `${name} was left`);
  const identity = join(stateDirectory, 'identity.json');
  if (!existsSync(identity)) return [...odd, 'no identity.json'];
  const isUncertain = (await readFile(identity, 'utf8')).includes('"isUncertain": true');
  return isUncertain ? [...odd, 'the identity is uncertain'] : odd;
}
