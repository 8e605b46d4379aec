import { describe, expect, test } from 'vitest';
import { dayMs, hourMs } from '../../src/lib/units.ts';
import { openDatabase } from '../../src/reference-service/database.ts';
import { seedWorld } from '../../src/reference-service/seed.ts';
import { daysWithHours } from '../../src/reference-service/simulated-client.ts';
import { toDay } from '../../src/reference-service/usage-hours.ts';
import { makeDirectory } from '../make-directory.ts';

const nowMs = Date.parse('2026-05-04T10:15:00Z');
const plan = { clients: 120, days: 20, networks: 3, seed: 7, nowMs, onProgress: () => {} };

async function seed(directory: string, more: Partial<typeof plan> = {}) {
  await seedWorld({ ...plan, ...more, directory });
  const database = openDatabase(directory);
  const rows = (sql: string) =>
    database.prepare(sql).all() as Record<string, number | string | null>[];
  const first = (sql: string) => Object.values(rows(sql)[0] ?? {})[0];
  return { rows, first, close: () => database.close() };
}

describe('a simulated world', () => {
  /** Each statement finds what contradicts something else in the database. */
  const contradictions: readonly (readonly [string, string])[] = [
    [
      'a day is the sum of its hours',
      `select day from usage_day join client on sequence = client
       left join (select client_id, hour_ms / ${dayMs} as day, sum(rx_bytes) as rx, sum(tx_bytes) as tx,
         sum(online_ms) as online, sum(sessions) as contracts, sum(searches) as interest from usage_hour group by 1, 2)
         using (client_id, day)
       where day > ${toDay(nowMs) - daysWithHours}
         and (rx, tx, online, contracts, interest) is not (rx_bytes, tx_bytes, online_ms, sessions, searches)`,
    ],
    [
      "a network's hours are those of its clients",
      `select * from network_hour left join (select network_id, hour_ms, count(*) as online, sum(online_ms) as ms
         from usage_hour join client using (client_id) where online_ms > 0 group by 1, 2) using (network_id, hour_ms)
       where (online, ms) is not (online_clients, network_hour.online_ms)`,
    ],
    [
      'a network has provided what its clients have',
      `select * from network where provided_bytes <> (select coalesce(sum(rx_bytes + tx_bytes), 0)
         from usage_day join client on sequence = client where client.network_id = network.network_id)`,
    ],
    [
      'consumers had all that was moved, in as many sessions',
      `select client, day from usage_day left join (select client, day, sum(bytes) as had, sum(sessions) as contracts
         from consumer_day group by 1, 2) using (client, day)
       where (coalesce(had, 0), coalesce(contracts, 0)) is not (rx_bytes + tx_bytes, sessions)`,
    ],
    [
      'whoever is online has one open connection, and nobody else',
      `select client_id from client where is_online <> (select count(*) from connection
         where connection.client_id = client.client_id and disconnected_ms is null)`,
    ],
    [
      'places have the public providers that are there',
      `select * from location_count where providers <> (select count(*) from client
         where offer = 'public' and location_id in (city_id, region_id, country_id))`,
    ],
    [
      'nobody is online for longer than an hour in an hour',
      `select * from usage_hour where online_ms > ${hourMs}`,
    ],
    [
      'nobody was there before it was registered',
      'select * from connection join client using (client_id) where connected_ms < created_ms',
    ],
    [
      'a client was connected for as long as it was online',
      `select client_id from client left join (select client, sum(online_ms) as online from usage_day group by 1)
         on client = sequence left join (select client_id, sum(coalesce(disconnected_ms, ${nowMs}) - connected_ms) as connected
         from connection group by 1) using (client_id)
       where online is not connected`,
    ],
    ['nothing is in the future', `select * from consumer_day where last_ms > ${nowMs}`],
    [
      'nobody has spoken just now',
      `select * from client where authenticated_ms > ${nowMs - 180_000}`,
    ],
    [
      'connections end after they begin',
      'select * from connection where disconnected_ms <= connected_ms',
    ],
  ];
  test('contradicts itself in nothing', async () => {
    const { rows, close } = await seed(makeDirectory());
    for (const [claim, sql] of contradictions) expect([claim, rows(sql)]).toEqual([claim, []]);
    close();
  });
  test('has something of everything', async () => {
    const { rows, first, close } = await seed(makeDirectory(), { clients: 600, networks: 6 });
    expect(first('select count(*) from client where is_simulated = 1')).toBe(600);
    expect(rows('select count(*) as clients from client group by network_id')).toEqual(
      Array(6).fill({ clients: 100 }),
    );
    const tables = [
      'tunnel',
      'wallet',
      'share',
      'connection',
      'usage_hour',
      'usage_day',
      'consumer_day',
      'network_hour',
    ];
    for (const table of tables)
      expect([table, first(`select count(*) from ${table}`)]).not.toEqual([table, 0]);
    expect(first('select count(distinct day) from usage_day')).toBe(20);
    expect(first(`select count(distinct hour_ms / ${dayMs}) from usage_hour`)).toBe(daysWithHours);
    expect(Number(first('select count(distinct city_id) from client'))).toBeGreaterThan(50);
    for (const offer of ['public', 'network']) {
      expect(Number(first(`select count(*) from client where offer = '${offer}'`))).toBeGreaterThan(
        10,
      );
    }
    expect(
      first(
        'select max(quality) <= 1 and min(quality) >= 0 and count(distinct quality) > 20 from client',
      ),
    ).toBe(1);
    close();
  });
  test('is the same for the same seed, and another for another', async () => {
    const list = async (more: Partial<typeof plan>) => {
      const { rows, close } = await seed(makeDirectory(), { clients: 30, ...more });
      const clients = rows(
        `select client_id, description, city_id, quality, public_key, sum(rx_bytes) as bytes
         from client left join tunnel using (client_id) left join usage_day on client = sequence group by client_id`,
      );
      close();
      return clients;
    };
    expect(await list({})).toEqual(await list({}));
    const ids = new Set((await list({})).map((client) => client.client_id));
    expect((await list({ seed: 8 })).filter((client) => ids.has(client.client_id ?? ''))).toEqual(
      [],
    );
  });
  test('grows when it is asked for again', async () => {
    const directory = makeDirectory();
    (await seed(directory)).close();
    const { rows, first, close } = await seed(directory);
    expect(first('select count(*) from client')).toBe(240);
    expect(first('select count(*) from network')).toBe(5);
    for (const [claim, sql] of contradictions) expect([claim, rows(sql)]).toEqual([claim, []]);
    close();
  });
});
