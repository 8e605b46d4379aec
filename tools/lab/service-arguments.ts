import { join } from 'node:path';
import type { LabOptions } from './lab.ts';
import { addresses, consumerSide } from './network.ts';

const servicePort = 8080;

/** What the lab's reference service is started with; it keeps its data below `directory`. */
export function listServiceArguments(options: LabOptions, directory: string): readonly string[] {
  return [
    ...['--listen', `${addresses.proxy}:${servicePort}`, '--data', join(directory, 'service')],
    ...['--profile', options.profile],
    ...(options.source === 'connect'
      ? ['--wireguard', 'off']
      : ['--wireguard', 'on', '--consumers', consumerSide]),
    // wireguard-go's control sockets are shared by all namespaces, so names of interfaces have to
    // differ.
    ...['--wireguard-interface', `ref-${options.id}`],
    ...(options.keepaliveSeconds === undefined
      ? []
      : ['--keepalive-seconds', String(options.keepaliveSeconds)]),
    ...(options.serviceArguments ?? []),
  ];
}
