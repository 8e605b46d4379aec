import { otherProtocols } from '../lib/ports.ts';

const beyondTheWeb = 'neither the web (80, 443) nor the names of hosts (53)';

/**
 * Named groups of ports for `gateway.blocked_ports`, with the reason for each.
 * `docs/blocked-ports.md` has the same table, which a test compares.
 */
export const portPresets = {
  mail: [
    {
      ports: 25,
      why: 'mail between servers: how spam is sent, and how a home address comes onto blocklists',
    },
    { ports: 465, why: 'handing mail in, with TLS: stolen mailboxes send their spam here' },
    { ports: 587, why: 'handing mail in, with STARTTLS: the same' },
    { ports: 2525, why: 'handing mail in where 587 is blocked' },
  ],
  'file-sharing': [
    { ports: '6881-6999', why: 'BitTorrent: the range that clients began with' },
    { ports: 51_413, why: 'BitTorrent: the default of Transmission' },
    { ports: 'udp/1337', why: 'BitTorrent: common trackers' },
    { ports: 'udp/6969', why: 'BitTorrent: common trackers' },
    { ports: 'tcp/4661-4662', why: 'eDonkey: servers and clients' },
    { ports: 'udp/4665', why: 'eDonkey: questions to servers' },
    { ports: 'udp/4672', why: 'Kad, the network of eMule' },
    { ports: '6346-6347', why: 'Gnutella' },
    { ports: 'tcp/411-412', why: 'Direct Connect' },
  ],
  scanning: [
    {
      ports: 'tcp/22',
      why: 'SSH: passwords are tried here all day; consumers cannot use SSH either',
    },
    { ports: 'tcp/23', why: 'Telnet: how worms enter cameras and routers' },
    { ports: 'tcp/2323', why: 'Telnet at its other port: the same worms' },
    { ports: '135-139', why: 'Windows RPC and NetBIOS: worms; providers filter them too' },
    { ports: 'tcp/445', why: 'Windows file sharing: worms and ransomware' },
    { ports: 'tcp/1433', why: 'Microsoft SQL Server: passwords are tried here' },
    { ports: 'udp/1434', why: 'Microsoft SQL Server: the Slammer worm' },
    { ports: 'tcp/3306', why: 'MySQL: passwords are tried here' },
    { ports: 3389, why: 'Windows remote desktop: passwords are tried here' },
    { ports: 'tcp/5432', why: 'PostgreSQL: passwords are tried here' },
    { ports: 'tcp/5555', why: 'Android debugging: how worms enter televisions' },
    { ports: 'tcp/5900-5903', why: 'VNC: passwords are tried here' },
    { ports: 'tcp/6379', why: 'Redis: open databases are taken over' },
    { ports: 'tcp/7547', why: 'remote management of home routers: how worms enter them' },
    {
      ports: 'udp/11211',
      why: 'Memcached: a small question is answered with a flood, sent to the victim',
    },
    { ports: 'udp/1900', why: 'UPnP: the same' },
    { ports: 'udp/19', why: 'character generator: the same' },
    { ports: 'tcp/27017', why: 'MongoDB: open databases are taken over' },
  ],
  'router-helpers': [
    { ports: 'tcp/21', why: 'FTP: a port of the machine that speaks, to the server' },
    { ports: 'udp/69', why: 'TFTP: the same' },
    { ports: 'tcp/554', why: 'RTSP, for cameras: a port of the machine that speaks' },
    { ports: '1719-1720', why: 'H.323, for calls: a port of any machine at home, to anybody' },
    { ports: 5060, why: 'SIP, for calls: ports of the machine that speaks' },
    { ports: 'tcp/6667', why: 'IRC: a port of the machine that speaks, to anybody' },
    { ports: 'udp/10080', why: 'Amanda, for backups: ports of the machine that speaks' },
  ],
  'web-only': [
    { ports: '1-52', why: beyondTheWeb },
    { ports: '54-79', why: beyondTheWeb },
    { ports: 'udp/80', why: 'the web uses 80 by TCP alone' },
    { ports: '81-442', why: beyondTheWeb },
    { ports: '444-65535', why: beyondTheWeb },
    { ports: otherProtocols, why: 'tunnels (GRE, IPsec), SCTP and the like; ping is let through' },
  ],
} as const;

/** The entries of `gateway.blocked_ports`, with each preset's name replaced by its ports. */
export function expandPresets(entries: readonly (number | string)[]): readonly (number | string)[] {
  return entries.flatMap((entry) =>
    isPreset(entry) ? portPresets[entry].map(({ ports }) => ports) : [entry],
  );
}

/**
 * The ports at which routers read along, unless the owner lets consumers use them. They hold
 * whatever else the owner blocks: what is opened by them is the home's.
 */
export function listHelperPorts(helpers: 'refuse' | 'pass'): readonly (number | string)[] {
  return helpers === 'refuse' ? expandPresets(['router-helpers']) : [];
}

/** True for the name of a preset. */
export function isPreset(entry: number | string): entry is keyof typeof portPresets {
  return Object.hasOwn(portPresets, entry);
}
