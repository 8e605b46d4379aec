import {
  type Bench,
  forget,
  type PartOptions,
  startAgent,
  startScript,
  stopAgent,
  stopScript,
  waitForProviding,
  withBench,
} from './bench-lab.ts';
import type { Figure } from './figures.ts';
import { computeMedian } from './medians.ts';

/**
 * The first start, with nothing but an auth code, until consumers' traffic passes: agent and script
 * both sign in and register.
 */
export function measureStart(options: PartOptions): Promise<readonly Figure[]> {
  return withBench(options, async (bench) => {
    const agent: number[] = [];
    const script: number[] = [];
    // The first round warms up.
    for (let round = 0; round <= options.rounds; round += 1) {
      options.say(`start: round ${round} of ${options.rounds}`);
      const ofAgent = await timeAgent(bench);
      const ofScript = await timeScript(bench);
      if (round === 0) continue;
      agent.push(ofAgent);
      script.push(ofScript);
    }
    const again: number[] = [];
    for (let round = 0; round < options.rounds; round += 1) again.push(await timeAgentAgain(bench));
    return [
      {
        name: 'start to providing',
        value: computeMedian(agent),
        unit: 'seconds',
        beside: { name: 'shell script', value: computeMedian(script) },
        goal: { of: 'ratio', most: 2 },
        note: `fastest ${Math.min(...agent).toFixed(3)} s beside ${Math.min(...script).toFixed(3)} s`,
      },
      { name: '  of a device that is known', value: computeMedian(again), unit: 'seconds' },
    ];
  });
}

async function timeAgent(bench: Bench): Promise<number> {
  await forget(bench.lab.stateDirectory);
  return timeAgentAgain(bench);
}

async function timeAgentAgain(bench: Bench): Promise<number> {
  const startedAtMs = performance.now();
  const agent = startAgent(bench);
  await waitForProviding(agent);
  const seconds = (performance.now() - startedAtMs) / 1000;
  await stopAgent(agent);
  return seconds;
}

async function timeScript(bench: Bench): Promise<number> {
  await forget(bench.scriptDirectory);
  const seconds = await startScript(bench);
  await stopScript(bench);
  return seconds;
}
