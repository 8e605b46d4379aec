import * as z from 'zod';
import { answer, list, maybe, number, object, text } from '../fields.ts';
import { type Operation, reading } from '../operation.ts';
import { proxyClient } from './auth-client.ts';

/** A service that runs at the client. */
export const resident = object(() => ({
  client_id: text.describe('A client.'),
  instance_id: text.describe('Instance that it runs in.'),
  resident_id: text.describe('The resident.'),
  resident_host: text.describe('Host that it runs on.'),
  resident_service: text.describe('Service that it runs.'),
  resident_block: text.describe('Block of the service.'),
  resident_internal_ports: list(z.number()).describe('Ports that it listens on inside.'),
}));

/** A client's connection to the service, present or past. */
export const connection = object(() => ({
  client_id: text.describe('A client.'),
  connection_id: text.describe('The connection.'),
  connect_time: text.describe('When it was established.'),
  disconnect_time: text.describe('When it ended; absent while it stands.'),
  connection_host: text.describe("Host of the service's side."),
  connection_service: text.describe('Service that the client is connected to.'),
  connection_block: text.describe('Block of the service.'),
}));

export const client = object(() => ({
  client_id: text.describe('A client.'),
  source_client_id: text.describe('The client that this one is derived from.'),
  device_id: text.describe('The hardware.'),
  network_id: text.describe('Network that it belongs to.'),
  description: text.describe("The owner's name for the device."),
  device_name: text.describe('Name of the device.'),
  device_spec: text.describe('What the device is: hardware, software.'),
  create_time: text.describe('When it was created.'),
  auth_time: text.describe('When the client last authenticated; absent where it never did.'),
  provide_mode: number.describe('Provide mode, as a number of the profile in use.'),
  proxy_client: maybe(proxyClient).describe("The client's proxy, as it was issued."),
  resident: maybe(resident).describe('There while the client runs a resident service.'),
  connections: list(connection).describe('Connections, present and recent.'),
}));

/** The three lists have one number a bucket, oldest first. */
export const reliabilityWindow = object(() => ({
  mean_reliability_weight: number.describe('Mean of the weights over the network.'),
  min_time_unix_milli: number.describe('Where the window begins, Unix time in ms.'),
  max_time_unix_milli: number.describe('Where the window ends, Unix time in ms.'),
  min_bucket_number: number.describe('Number of the first bucket.'),
  max_bucket_number: number.describe('Number of the last bucket.'),
  bucket_duration_seconds: number.describe('Length of a bucket, in seconds.'),
  max_client_count: number.describe('Most clients active in one bucket.'),
  max_total_client_count: number.describe('Most clients registered in one bucket.'),
  reliability_weights: list(z.number()).describe('One weight a bucket.'),
  client_counts: list(z.number()).describe('Clients active, one number a bucket.'),
  total_client_counts: list(z.number()).describe('Clients registered, one number a bucket.'),
  country_multipliers: list(countryMultiplier).describe('What the weights count, by country.'),
}));

const countryMultiplier = object(() => ({
  country_location_id: text.describe('Location of the country.'),
  country: text.describe('Country that it is, or is in.'),
  country_code: text.describe('Country, two letters (ISO 3166).'),
  reliability_multiplier: number.describe('Factor on the weights of clients there.'),
}));

/** The network's devices, and how reliably they provided (service-interface, "Endpoints"). */
export const clientsOperations = {
  clients: {
    ...reading,
    summary: "Lists the network's clients.",
    path: '/network/clients',
    response: answer(() => ({ clients: list(client).describe('The clients of the network.') })),
    list: 'clients',
  },
  reliability: {
    ...reading,
    summary: "Reads how reliably the network's clients were online, by buckets of time.",
    path: '/network/reliability',
    response: answer(() => ({
      reliability_window: maybe(reliabilityWindow).describe('The time looked at, cut into buckets.'),
    })),
  },
} as const satisfies Record<string, Operation>;
