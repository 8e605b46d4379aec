import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { untilFound } from '../../lib/once.ts';
import { type ConnectSource, createConnectSource } from '../../source/connect/connect-source.ts';
import { connectName, createEngineDriver } from '../../source/connect/device.ts';
import { createEngineFiles } from '../../source/connect/engine-files.ts';
import { findEngineUser } from '../../source/connect/engine-user.ts';
import { openKeptSums } from '../../source/connect/kept-sums.ts';
import { createMarketWatch } from '../../source/connect/market-watch.ts';
import { findPlatform } from '../../source/connect/platform-urls.ts';
import { planPool } from '../../source/connect/pool.ts';
import { toEngineNodeOptions } from '../../source/connect/protocol.ts';
import { prepareEngine } from '../../source/connect/start-engine.ts';
import { superviseEngine } from '../../source/connect/supervise-engine.ts';
import { speakWith } from '../../system/spoken-program.ts';
import { version } from '../../version.ts';
import { chooseProfileName } from '../to-facts.ts';
import type { SourceSurroundings } from './open-sources.ts';

/** The engine's program lies beside this one. */
const engineFile = 'engine.cjs';

/** The network's own protocol as a source. Starts nothing yet. */
export function openConnect(
  given: SourceSurroundings & Required<Pick<SourceSurroundings, 'uptimeMs'>>,
): ConnectSource {
  const { config, host, onSetAside, onChange } = given;
  const { interface: device, pool_ipv4: ipv4, pool_ipv6: ipv6 } = config().connect;
  const addresses = planPool(ipv4, ipv6);
  const user = untilFound(findEngineUser);
  // npm installs a program as a link to it, and nothing lies beside the link.
  const program = join(dirname(realpathSync(process.argv[1] ?? '')), engineFile);
  const options = toEngineNodeOptions(program, process.allowedNodeEnvironmentFlags);
  const command = [process.execPath, ...options, program];
  const files = { directory: host.stateDirectory, onSetAside };
  const onSaid = (line: string) => given.onSaid(connectName, line);
  const market = createMarketWatch({
    ...files,
    now: given.now,
    uptimeMs: given.uptimeMs,
    onFailure: ({ message }) => onSaid(`the minutes that count are not kept: ${message}`),
  });
  return createConnectSource({
    driver: createEngineDriver(host.exec, { device, consumers: addresses.consumers }),
    market,
    supervisor: superviseEngine({
      files: createEngineFiles(files),
      market,
      prepare: async () => prepareEngine({ speakWith, command, device, user: await user() }),
      appVersion: version,
      newInstanceId: randomUUID,
      random: Math.random,
      onSaid,
      onChange,
    }),
    sums: openKeptSums({ ...files, now: given.now }),
    onSaid,
    user,
    addresses,
    order() {
      const issued = given.issued();
      if (issued === undefined) return undefined;
      const { service, connect } = config();
      return {
        clientId: issued.clientId,
        token: issued.clientJwt,
        authority: given.authority(),
        mostUnpaidBytes: connect.unpaid_limit,
        encryption: connect.encryption,
        way: given.way?.(),
        ...findPlatform({
          baseUrl: service.base_url,
          profile: chooseProfileName(config()),
          urls: connect.urls,
        }),
      };
    },
  });
}
