import type { ProfileName } from '../../service/profiles.ts';

/** Where the platform is: sockets for consumers' traffic, and HTTP for what has to be answered. */
export interface PlatformAddresses {
  readonly urls: readonly string[];
  readonly controlUrl: string;
}

/** What of the configuration says it. */
export interface PlatformSettings {
  readonly baseUrl: string;
  readonly profile: ProfileName;
  /** The owner's, which win; empty for none. */
  readonly urls: readonly string[];
}

/**
 * Control is the service's own. Sockets are at the service's host and port, or, in the production
 * profile, where a service at `api.example` has its platform: at `connect.example`.
 */
export function findPlatform({ baseUrl, profile, urls }: PlatformSettings): PlatformAddresses {
  const controlUrl = `${baseUrl}/connect/control`;
  if (urls.length > 0) return { urls, controlUrl };
  const { protocol, host } = new URL(baseUrl);
  const isApart = profile === 'production' && host.startsWith(apiHost);
  const platform = isApart ? `connect.${host.slice(apiHost.length)}` : host;
  return { urls: [`${protocol === 'http:' ? 'ws' : 'wss'}://${platform}/`], controlUrl };
}

const apiHost = 'api.';
