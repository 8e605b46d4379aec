import type { Facts } from '../../src/health/facts.ts';
import type { StatusSource } from '../../src/status/source.ts';
import { now } from './sample-facts.ts';

/** What a status is made from, without an agent: these facts, a healthy agent, a mute control. */
export function makeSource(facts: Facts): StatusSource {
  const doNothing = async () => undefined;
  return {
    stateDirectory: '/var/lib/tributary',
    configFile: '/etc/tributary/tributary.yaml',
    refresh: doNothing,
    facts: () => facts,
    health: () => ({ isHealthy: true, line: 'providing' }),
    stalledLoops: () => [],
    metrics: () => 'tributary_gateway_open 1\n',
    now: () => now,
    control: {
      setOverride: doNothing,
      clearOverride: doNothing,
      reload: doNothing,
      selfTest: doNothing,
      settings: async () => [],
      changeSetting: doNothing,
    },
  };
}
