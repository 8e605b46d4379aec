import type { LabOptions } from './lab.ts';
import { labInternet } from './network.ts';

/** The configuration as JSON, which is YAML too. */
export function renderConfig(
  options: Pick<LabOptions, 'id' | 'profile' | 'source' | 'config'>,
  baseUrl: string,
  socketPath: string,
): string {
  const own: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    service: { base_url: baseUrl, profile: options.profile, allow_insecure_http: true },
    device: { description: `lab device ${options.id}` },
    tunnel: { interface: `trib-${options.id}` },
    connect: { interface: `tribc-${options.id}` },
    // Its consumer is a stranger to the device, as most consumers are.
    provide: { mode: 'public' },
    gateway: { allow_destinations: [labInternet] },
    status: { listen: '127.0.0.1:9469', socket: socketPath },
  };
  const names = Object.keys({ ...own, ...options.config });
  const merged = names.map((name) => [name, { ...own[name], ...options.config?.[name] }]);
  return JSON.stringify({ source: options.source, ...Object.fromEntries(merged) }, null, 2);
}
