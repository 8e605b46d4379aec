import { expect, test } from 'vitest';
import { createClients } from '../../src/reference-service/clients.ts';
import { createLogins } from '../../src/reference-service/logins.ts';
import { createNetworks } from '../../src/reference-service/networks.ts';
import { createPairings } from '../../src/reference-service/pairings.ts';
import { servedProfiles } from '../../src/reference-service/profile.ts';
import { createProxies } from '../../src/reference-service/proxies.ts';
import { listScans } from './query-plan.ts';

const now = () => 0;

test('a login is found by an index', async () => {
  const scans = listScans(createLogins, (logins, database) => {
    const { networkId } = createNetworks(database, now).ensureFirst();
    logins.checkFree('me@example.org');
    logins.add('me@example.org', { networkId, passwordHash: null, isVerified: 0 });
    logins.find('me@example.org');
    logins.setPassword(networkId, 'hash');
    logins.markVerified('me@example.org');
  });
  expect(await scans).toEqual([]);
});

test('a device that waits for a network is found by an index', async () => {
  const terms = { profile: servedProfiles.documented, clientLimit: 9, now };
  const scans = listScans(
    (database) =>
      createPairings(database, createClients(database, createProxies(database), now), terms),
    (pairings, database) => {
      const { networkId, networkName } = createNetworks(database, now).ensureFirst();
      const { code, secret } = pairings.create({ deviceName: 'shed', deviceSpec: 'pi' });
      pairings.take(networkId, code);
      pairings.giveBack(networkId, code);
      pairings.take(networkId, code);
      pairings.readStatus(code);
      pairings.list(networkId);
      pairings.confirm({ code, secret, networkName });
    },
  );
  // All that are open are counted, of which there are few.
  expect((await scans).filter((scan) => !/pairing/.test(scan) || !/COVERING/.test(scan))).toEqual(
    [],
  );
});
