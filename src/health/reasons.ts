import { type ErrorCode, errorKinds } from '../errors/codes.ts';
import { passingReasons } from './passing-reasons.ts';

const login = 'Sign in: tributary login';
/** What to do where a program of the system failed. */
export const askDoctor = 'To see what is wrong: sudo tributary doctor';

/**
 * Every code that a reason in `status` can carry: who ends it, and one line for the owner with the
 * command to type, where one helps. `owner`: it lasts until the owner fixes it. `time`: the agent
 * goes on trying, or it is a state that passes.
 */
const reasons = {
  'usage-invalid': { fixedBy: 'owner', action: 'See how it is used: tributary help' },
  'configuration-invalid': {
    fixedBy: 'owner',
    action: 'See every error at once: tributary config check',
  },
  'zone-unknown': {
    fixedBy: 'owner',
    action:
      'Name the zone in the configuration: sudo tributary config set provide.time_zone Europe/Berlin',
  },
  'not-allowed': {
    fixedBy: 'owner',
    action: 'Run it with sudo. In a container, start it with what the message names.',
  },
  'missing-program': {
    fixedBy: 'owner',
    action:
      'Install the program that is named; on Debian: apt-get install nftables wireguard-tools wireguard-go iproute2',
  },
  'command-failed': { fixedBy: 'owner', action: askDoctor },
  'already-running': { fixedBy: 'owner', action: 'See the running agent: tributary status' },
  'not-running': {
    fixedBy: 'owner',
    action: 'Start the agent: sudo systemctl start tributary (without the package: tributary run)',
  },
  'state-unreadable': {
    fixedBy: 'owner',
    action: 'Check who owns the file: ls -la. If it is damaged, remove it and set the mode again.',
  },
  'state-unwritable': {
    fixedBy: 'owner',
    action:
      "Check for a full disk (df -h) or a read-only SD card. Until then a reboot loses the cap's count, and a crash the original kernel settings.",
  },
  'log-unwritten': {
    fixedBy: 'owner',
    action: 'Make room on the disk that the log is on (df -h), or start again what reads the log.',
  },
  'report-undelivered': {
    fixedBy: 'owner',
    action:
      'Check that the receiver runs, and its address: tributary config show. The agent tries again, at the latest with the next report.',
  },
  'program-replaced': {
    fixedBy: 'owner',
    action: 'Start the agent again, as it was started before.',
  },
  'signed-out': { fixedBy: 'owner', action: login },
  'sign-in-refused': {
    fixedBy: 'owner',
    action:
      'Usually nothing: the agent keeps the sign-in and asks again. After hours of it: tributary login',
  },
  'sign-in-ending': {
    fixedBy: 'owner',
    action: 'Sign in again before that, with a new auth code: tributary login',
  },
  'second-client': {
    fixedBy: 'owner',
    action:
      'Remove the other one: tributary device remove ID. This note ends after the next sign-in: tributary login',
  },
  'auth-code-refused': {
    fixedBy: 'owner',
    action: 'Ask the service for a new code, then: tributary login',
  },
  'insecure-url': {
    fixedBy: 'owner',
    action: 'Use an https:// address in service.base_url, or set service.allow_insecure_http: true',
  },
  'service-refused': {
    fixedBy: 'owner',
    action: "Read the service's message. If it is about the sign-in: tributary login",
  },
  'not-authorized': { fixedBy: 'owner', action: login },
  'profile-unclear': {
    fixedBy: 'owner',
    action:
      'Ask the service which profile it uses, then set service.profile: documented or production',
  },
  'client-limit-exceeded': {
    fixedBy: 'owner',
    action: 'Remove a device you no longer use: tributary device remove NAME',
  },
  'registration-incomplete': {
    fixedBy: 'owner',
    action:
      'Set proxy.country_code to a country that has providers: tributary service locations. Then register it as a new device: sudo tributary login --new-device. Where the service names your plan, it has to include WireGuard.',
  },
  'client-lost': {
    fixedBy: 'owner',
    action:
      'Where another network adopted this device: sudo tributary login, with a code of that network. Otherwise, to register it as a new one: sudo tributary login --new-device',
  },
  'identity-moved': {
    fixedBy: 'owner',
    action:
      'If you moved it here for good: sudo tributary device keep. If the original still runs: sudo tributary device new',
  },
  'wireguard-text-refused': {
    fixedBy: 'owner',
    action: "Report it to the service's operator; none of the text was used.",
  },
  'outside-unknown': {
    fixedBy: 'owner',
    action:
      'Have your router asked by UPnP, too, or name an address that never changes in gateway.public_address.fixed. To have it asked: sudo tributary config set gateway.public_address.upnp true',
  },
  'connections-full': { fixedBy: 'owner', action: 'Share fewer: gateway.connections.total' },
  'connections-kept': { fixedBy: 'owner', action: 'Install conntrack, and pause now and then.' },
  'list-refused': {
    fixedBy: 'owner',
    action: 'Correct that file. To see every error: tributary config check',
  },
  'list-lines-skipped': {
    fixedBy: 'owner',
    action:
      'Correct these lines, or report them to the maker of the list. The rest of it is in force.',
  },
  'address-collision': {
    fixedBy: 'owner',
    action:
      'Give your network another address range: it and the tunnel cannot share one. For connect: connect.pool_ipv4 and connect.pool_ipv6',
  },
  'no-ipv6': {
    fixedBy: 'owner',
    action:
      'To share over IPv6 as well, enable IPv6 where the agent runs (sysctl net.ipv6.conf.all.disable_ipv6=0; a kernel started with ipv6.disable=1 has none). A container that is started as documented shares IPv4 alone.',
  },
  'tunnel-failed': { fixedBy: 'owner', action: askDoctor },
  'platform-refused': {
    fixedBy: 'owner',
    action:
      'Read the message. If the version is refused, update Tributary; if the certificate is, check connect.urls and service.ca_file.',
  },
  'gateway-failed': { fixedBy: 'owner', action: askDoctor },
  'not-uplink': {
    fixedBy: 'owner',
    action:
      'Name in gateway.uplink the interface that leads to the Internet, or remove that key to follow the system: ip route get 193.0.14.129',
  },
  'self-test-failed': {
    fixedBy: 'owner',
    action:
      'Look for firewall rules or tc filters of other programs where the agent runs: nft list ruleset; tributary doctor',
  },
  'host-namespace': {
    fixedBy: 'owner',
    action: 'Create its namespace: sudo tributary namespace up',
  },
  'output-failed': {
    fixedBy: 'owner',
    action: 'Make room where the output goes, or send it elsewhere.',
  },
  'consumer-tunnel': {
    fixedBy: 'owner',
    action:
      "Nothing is broken here. Ask the service whether its tunnels bring consumers, or provide by the network's own protocol, which setup explains: sudo tributary setup",
  },
  'gateway-disabled': {
    fixedBy: 'owner',
    action: 'To provide: sudo tributary config set gateway.enabled true',
  },
  ...passingReasons,
} as const satisfies Readonly<Record<ErrorCode, Advice>> & Readonly<Record<string, Advice>>;

interface Advice {
  readonly fixedBy: 'owner' | 'time';
  readonly action: string;
}

/** Every code that a reason in `status` can carry. */
export type ReasonCode = keyof typeof reasons;

export const reasonCodes = Object.keys(reasons) as readonly ReasonCode[];

export function findAction(code: ReasonCode): string {
  return reasons[code].action;
}

/** What to do about a code that comes from elsewhere; undefined for a code that is unknown here. */
export function findKnownAction(code = ''): string | undefined {
  const known = reasonCodes.find((own) => own === code);
  return known && findAction(known);
}

/** True where waiting does not help, because the owner has to fix something. */
export function isForOwner(code: ReasonCode): boolean {
  return reasons[code].fixedBy === 'owner';
}

/** True for the code of an error of ours; text from elsewhere may be any other. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorKinds, code);
}
