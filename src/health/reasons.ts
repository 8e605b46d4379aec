import type { ErrorCode } from '../lib/errors.ts';

/** Reasons that are states rather than failures. */
type StateCode =
  | 'starting'
  | 'stopping'
  | 'registering'
  | 'no-uplink'
  | 'no-handshake'
  | 'tunnel-starting'
  | 'gateway-starting'
  | 'gateway-disabled'
  | 'cap-reached';

/** Every code that a reason in `status` can carry. */
export type ReasonCode = ErrorCode | StateCode;

interface Advice {
  /** One line for the owner, with the command to type where there is one. */
  readonly action: string;
  /** `owner`: goes on until somebody fixes it. `time`: the agent tries again by itself. */
  readonly fixedBy: 'owner' | 'time';
}

const login = 'Sign in: tributary login';
const tools = 'See that the tools work here, as root: nft list tables; wg show; ip link';
const waits = 'Nothing: the agent goes on asking by itself.';

const errorAdvice: Readonly<Record<ErrorCode, Advice>> = {
  'usage-invalid': { action: 'See how it is used: tributary help', fixedBy: 'owner' },
  'configuration-invalid': { action: 'See every error at once: tributary config check', fixedBy: 'owner' },
  'not-allowed': { action: 'Run it as root, or as the user that owns what is named.', fixedBy: 'owner' },
  'missing-program': {
    action:
      'Install the program that is named; on Debian: apt-get install nftables wireguard-tools wireguard-go iproute2',
    fixedBy: 'owner',
  },
  'command-failed': { action: tools, fixedBy: 'owner' },
  'already-running': { action: 'See the one that runs: tributary status', fixedBy: 'owner' },
  'not-running': {
    action: 'Start the agent: tributary run',
    fixedBy: 'owner',
  },
  'state-unreadable': { action: 'Check the state directory and its owner: ls -la', fixedBy: 'owner' },
  'state-unwritable': {
    action: 'Check the free space and the rights of the state directory: df -h',
    fixedBy: 'owner',
  },
  'signed-out': { action: login, fixedBy: 'owner' },
  'auth-code-refused': { action: 'Ask the service for a new code, then: tributary login', fixedBy: 'owner' },
  'insecure-url': {
    action: 'Use an https:// address in service.base_url, or say service.allow_insecure_http: true',
    fixedBy: 'owner',
  },
  'service-unreachable': { action: `Check this device's Internet connection. ${waits}`, fixedBy: 'time' },
  'service-failed': { action: waits, fixedBy: 'time' },
  'service-refused': {
    action: "Read the service's message; where it is about the sign-in: tributary login",
    fixedBy: 'owner',
  },
  'not-authorized': { action: login, fixedBy: 'owner' },
  'operation-not-served': {
    action: 'Nothing: the service does not offer it. The agent enforces its own mode all the same.',
    fixedBy: 'time',
  },
  'profile-unclear': {
    action: 'Ask the service which dialect it speaks, and set service.profile: documented or production',
    fixedBy: 'owner',
  },
  'rate-limited': { action: 'Nothing: the agent asks again when the service allows it.', fixedBy: 'time' },
  'answer-redirected': { action: 'Check service.base_url, and that no sign-in page is in between.', fixedBy: 'time' },
  'answer-not-json': { action: 'Check service.base_url, and that no sign-in page is in between.', fixedBy: 'time' },
  'answer-invalid': { action: 'Check service.base_url and service.profile: tributary config show', fixedBy: 'time' },
  'answer-too-large': { action: 'Check service.base_url: tributary config show', fixedBy: 'time' },
  'answer-truncated': { action: waits, fixedBy: 'time' },
  'client-limit-exceeded': { action: 'Remove a device you no longer use from your network.', fixedBy: 'owner' },
  'auth-code-limit-exceeded': { action: 'Wait until a code is used or has expired.', fixedBy: 'time' },
  'registration-incomplete': {
    action: 'Check that your plan with the service includes WireGuard.',
    fixedBy: 'owner',
  },
  'wireguard-text-refused': {
    action: "Tell the service's operator; nothing of the text was used.",
    fixedBy: 'owner',
  },
  'outside-unknown': {
    action:
      "Name your connection's public address in gateway.deny_destinations, or let it be asked for: gateway.public_address",
    fixedBy: 'owner',
  },
  'list-refused': {
    action: 'Correct the file that is named; every error at once: tributary config check',
    fixedBy: 'owner',
  },
  'address-collision': {
    action: 'Give the network that is named another address range: it and the tunnel cannot share one.',
    fixedBy: 'owner',
  },
  'no-ipv6': {
    action:
      'To share over IPv6 as well, enable IPv6 where the agent runs (sysctl net.ipv6.conf.all.disable_ipv6=0; a kernel started with ipv6.disable=1 has none).',
    fixedBy: 'owner',
  },
  'tunnel-failed': { action: tools, fixedBy: 'owner' },
  'gateway-failed': { action: tools, fixedBy: 'owner' },
  'self-test-failed': {
    action:
      'Look for firewall rules or tc filters of other programs where the agent runs: nft list ruleset; tributary doctor',
    fixedBy: 'owner',
  },
  'host-namespace': { action: 'Make a network namespace for it, as root: tributary namespace up', fixedBy: 'owner' },
  'lab-failed': { action: 'Run it again with --keep and look around.', fixedBy: 'owner' },
};

const stateAdvice: Readonly<Record<StateCode, Advice>> = {
  starting: { action: 'Nothing: this takes seconds.', fixedBy: 'time' },
  stopping: { action: 'Nothing. To have it back: tributary run', fixedBy: 'time' },
  registering: { action: 'Nothing: this takes seconds.', fixedBy: 'time' },
  'no-uplink': {
    action: 'Check the cable or Wi-Fi, or name the interface in gateway.uplink: ip route',
    fixedBy: 'time',
  },
  'no-handshake': {
    action: 'Check that outgoing UDP to the endpoint is allowed by your router and firewall.',
    fixedBy: 'time',
  },
  'tunnel-starting': { action: 'Nothing: this takes seconds.', fixedBy: 'time' },
  'gateway-starting': { action: 'Nothing: this takes seconds.', fixedBy: 'time' },
  'gateway-disabled': { action: 'To provide, set gateway.enabled: true and reload.', fixedBy: 'owner' },
  'cap-reached': { action: 'Wait for the next period, or raise provide.cap.bytes and reload.', fixedBy: 'time' },
};

const advice: Readonly<Record<ReasonCode, Advice>> = { ...errorAdvice, ...stateAdvice };

/** What to do about a reason or an error, in one line. */
export function findAction(code: ReasonCode): string {
  return advice[code].action;
}

/** The same for a code from elsewhere; undefined for one that is not known here. */
export function findKnownAction(code = ''): string | undefined {
  return Object.entries(advice).find(([known]) => known === code)?.[1].action;
}

/** True where waiting does not help: the owner has to fix something. */
export function isForOwner(code: ReasonCode): boolean {
  return advice[code].fixedBy === 'owner';
}

/** True for a code of an error, as text from elsewhere may or may not be. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorAdvice, code);
}
