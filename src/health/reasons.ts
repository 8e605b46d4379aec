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
  /** `owner`: goes on until somebody mends it. `time`: the agent tries again by itself. */
  readonly mendedBy: 'owner' | 'time';
}

const login = 'Sign in: tributary login';
const tools = 'See that the tools work here, as root: nft list tables; wg show; ip link';
const waits = 'Nothing: the agent goes on asking by itself.';

const errorAdvice: Readonly<Record<ErrorCode, Advice>> = {
  'usage-invalid': { action: 'See how it is used: tributary help', mendedBy: 'owner' },
  'configuration-invalid': { action: 'See every error at once: tributary config check', mendedBy: 'owner' },
  'not-allowed': { action: 'Run it as root, or as the user that owns what is named.', mendedBy: 'owner' },
  'missing-program': {
    action:
      'Install the program that is named; on Debian: apt-get install nftables wireguard-tools wireguard-go iproute2',
    mendedBy: 'owner',
  },
  'command-failed': { action: tools, mendedBy: 'owner' },
  'already-running': { action: 'See the one that runs: tributary status', mendedBy: 'owner' },
  'not-running': {
    action: 'Start the agent: tributary run',
    mendedBy: 'owner',
  },
  'state-unreadable': { action: 'Check the state directory and its owner: ls -la', mendedBy: 'owner' },
  'state-unwritable': {
    action: 'Check the free space and the rights of the state directory: df -h',
    mendedBy: 'owner',
  },
  'signed-out': { action: login, mendedBy: 'owner' },
  'auth-code-refused': { action: 'Ask the service for a new code, then: tributary login', mendedBy: 'owner' },
  'insecure-url': {
    action: 'Use an https:// address in service.base_url, or say service.allow_insecure_http: true',
    mendedBy: 'owner',
  },
  'service-unreachable': { action: `Check this device's Internet connection. ${waits}`, mendedBy: 'time' },
  'service-failed': { action: waits, mendedBy: 'time' },
  'service-refused': {
    action: "Read the service's message; where it is about the sign-in: tributary login",
    mendedBy: 'owner',
  },
  'not-authorized': { action: login, mendedBy: 'owner' },
  'operation-not-served': {
    action: 'Nothing: the service does not offer it. The agent enforces its own mode all the same.',
    mendedBy: 'time',
  },
  'profile-unclear': {
    action: 'Ask the service which dialect it speaks, and set service.profile: documented or production',
    mendedBy: 'owner',
  },
  'rate-limited': { action: 'Nothing: the agent asks again when the service allows it.', mendedBy: 'time' },
  'answer-redirected': { action: 'Check service.base_url, and that no sign-in page is in between.', mendedBy: 'time' },
  'answer-not-json': { action: 'Check service.base_url, and that no sign-in page is in between.', mendedBy: 'time' },
  'answer-invalid': { action: 'Check service.base_url and service.profile: tributary config show', mendedBy: 'time' },
  'answer-too-large': { action: 'Check service.base_url: tributary config show', mendedBy: 'time' },
  'answer-truncated': { action: waits, mendedBy: 'time' },
  'client-limit-exceeded': { action: 'Remove a device you no longer use from your network.', mendedBy: 'owner' },
  'auth-code-limit-exceeded': { action: 'Wait until a code is used or has expired.', mendedBy: 'time' },
  'registration-incomplete': {
    action: 'Check that your plan with the service includes WireGuard.',
    mendedBy: 'owner',
  },
  'wireguard-text-refused': {
    action: "Tell the service's operator; nothing of the text was used.",
    mendedBy: 'owner',
  },
  'address-collision': {
    action: 'Give the network that is named another address range: it and the tunnel cannot share one.',
    mendedBy: 'owner',
  },
  'no-ipv6': {
    action:
      'To share over IPv6 as well, enable IPv6 where the agent runs (sysctl net.ipv6.conf.all.disable_ipv6=0; a kernel started with ipv6.disable=1 has none).',
    mendedBy: 'owner',
  },
  'tunnel-failed': { action: tools, mendedBy: 'owner' },
  'gateway-failed': { action: tools, mendedBy: 'owner' },
  'host-namespace': { action: 'Make a network namespace for it, as root: tributary namespace up', mendedBy: 'owner' },
  'lab-failed': { action: 'Run it again with --keep and look around.', mendedBy: 'owner' },
};

const stateAdvice: Readonly<Record<StateCode, Advice>> = {
  starting: { action: 'Nothing: this takes seconds.', mendedBy: 'time' },
  stopping: { action: 'Nothing. To have it back: tributary run', mendedBy: 'time' },
  registering: { action: 'Nothing: this takes seconds.', mendedBy: 'time' },
  'no-uplink': {
    action: 'Check the cable or Wi-Fi, or name the interface in gateway.uplink: ip route',
    mendedBy: 'time',
  },
  'no-handshake': {
    action: 'Check that outgoing UDP to the endpoint is allowed by your router and firewall.',
    mendedBy: 'time',
  },
  'tunnel-starting': { action: 'Nothing: this takes seconds.', mendedBy: 'time' },
  'gateway-starting': { action: 'Nothing: this takes seconds.', mendedBy: 'time' },
  'gateway-disabled': { action: 'To provide, set gateway.enabled: true and reload.', mendedBy: 'owner' },
  'cap-reached': { action: 'Wait for the next period, or raise provide.cap.bytes and reload.', mendedBy: 'time' },
};

const advice: Readonly<Record<ReasonCode, Advice>> = { ...errorAdvice, ...stateAdvice };

/** What to do about a reason or an error, in one line. */
export function toAction(code: ReasonCode): string {
  return advice[code].action;
}

/** True where waiting does not help: the owner has to mend something. */
export function isForOwner(code: ReasonCode): boolean {
  return advice[code].mendedBy === 'owner';
}

/** True for a code of an error, as text from elsewhere may or may not be. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorAdvice, code);
}
