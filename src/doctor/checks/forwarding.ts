import { hasCode } from '../../errors/codes.ts';
import { tableName } from '../../gateway/policy.ts';
import { phaseTraits } from '../../health/phase-traits.ts';
import { findAction } from '../../health/reasons.ts';
import { formatSeconds } from '../../lib/units.ts';
import { listDevices } from '../../source/drivers.ts';
import { observeNftTable } from '../../system/nft.ts';
import { type Finding, fail, insideAsRoot, pass, skip, warn } from '../check.ts';
import { findFix } from '../find-fix.ts';
import type { DoctorHost } from '../host.ts';

/**
 * Whether consumers' traffic really passes, by the kernel's state and not by the agent's word; if
 * not, the agent's reason.
 */
export async function lookAtForwarding(host: DoctorHost): Promise<Finding> {
  const { phase, reasons, provide, gateway } = await host.status();
  const [reason] = reasons;
  if (!phaseTraits[phase].isWell)
    return fail(reason?.message ?? `the agent is ${phase}`, findFix(reason?.code));
  if (phase !== 'providing')
    return pass(
      `closed, as it should be: ${reason?.message ?? `the mode is ${provide.effective}`}`,
    );
  const isAdmin = await host.isNetworkAdmin();
  const finding = isAdmin
    ? await lookAtKernel(host)
    : pass(`open to ${gateway.uplink}, the agent says`);
  const isSilent = reasons.some(({ code }) => code === 'consumer-tunnel');
  if (!isSilent || finding.verdict !== 'pass') return finding;
  const silence = 'consumer-tunnel: no traffic has arrived in a day of providing';
  return pass(`${finding.found}. ${silence}. ${findAction('consumer-tunnel')}`);
}

async function lookAtKernel(host: DoctorHost): Promise<Finding> {
  const exec = await insideAsRoot(host);
  const devices = listDevices((await host.configuration()).config);
  const table = await observeNftTable(exec, tableName);
  const fix = 'The agent puts it back. To see what changes it: sudo nft monitor';
  if (table === undefined) return fail('the nft table tributary is gone', fix);
  if (table.policies.get('forward') !== 'drop')
    return fail('the nft table tributary is not as the agent makes it', fix);
  const { rules } = await host.network();
  const hasRules = [5181, 5182].every((priority) =>
    rules.some((rule) => rule.priority === priority),
  );
  if (!hasRules)
    return fail(
      'the routing rules are gone',
      'The agent puts them back. To see what removes them: ip monitor rule',
    );
  // Each source has a permit of its own, while it is alive.
  const [seconds] = devices.flatMap((name) => table.expires.get(`permit/${name}`) ?? []);
  if (seconds === undefined)
    return fail('the permit to forward has run out', 'sudo systemctl restart tributary');
  return pass(`open for ${seconds} s more, and renewed meanwhile`);
}

/** What limits, and yielding to the household, cannot do where this kernel cannot shape traffic. */
export async function lookAtLine(host: DoctorHost): Promise<Finding> {
  const { lineHeldBy } = (await host.status()).gateway;
  if (lineHeldBy === null) return skip('no limit was needed yet');
  if (lineHeldBy !== 'policer') return pass(heldBy[lineHeldBy]);
  const fix =
    'sudo modprobe --all sch_htb ifb cls_u32 cls_bpf act_mirred, then: sudo systemctl restart tributary';
  return fail(
    'this kernel cannot shape traffic: it drops packets above a limit, and sharing cannot yield to you',
    fix,
  );
}

const heldBy = {
  'one-tree': 'a limit holds both directions as one',
  'two-trees': 'this kernel has no ifb: each direction has half of a limit',
};

/** Whom the delays are measured to by which sharing yields to the household. */
export async function lookAtDelays(host: DoctorHost): Promise<Finding> {
  const { mode, measuredTo, pingProblem } = (await host.status()).provide.household;
  if (mode === 'off') return skip('provide.household is off: sharing does not yield to you');
  switch (pingProblem) {
    case 'missing':
      return warn(`ping is not installed: ${late}`, installPing);
    case 'not-allowed':
      return warn(`ping may not be used here: ${late}`, 'tributary logs says what forbids it');
    case 'no-answer':
      return pass(`nothing beyond your router answers a ping: ${late}`);
    case null:
      if (measuredTo !== null) return pass(measuredWords[measuredTo]);
      return (await lacksPing(host))
        ? warn(`ping is not installed: ${late}`, installPing)
        : pass('by ping, as soon as something is shared');
    default:
      return pingProblem satisfies never;
  }
}

const installPing = 'sudo apt install iputils-ping';
const late = 'sharing yields to you late, by a connection to the service every 5 s';

async function lacksPing(host: DoctorHost): Promise<boolean> {
  // The ping of busybox has no version to tell, and says so by its exit code.
  const asking = host.exec({ program: 'ping', args: ['-V'], doing: 'looking for ping' });
  return hasCode(await asking.catch((error: unknown) => error), 'missing-program');
}

const measuredWords = {
  'first-hop': 'measured by ping to a router beyond your own',
  'tunnel-end': 'measured by ping to the other end of the tunnel',
  service: 'measured by a connection to the service every 5 s',
  router: 'the service does not answer: only the way to your own router is measured',
};

/**
 * Lets the agent send test packets as a consumer would, and checks that the right ones were refused
 * and the right ones passed.
 */
export async function lookAtSelfTest(host: DoctorHost): Promise<Finding> {
  const { phase, sources, reasons, gateway } = await host.selfTest();
  const failure = reasons.find(({ code }) => code === 'self-test-failed');
  if (failure !== undefined) return fail(failure.message, failure.action);
  if (!sources.some(({ there }) => there))
    return skip(`there is no device to test: the agent is ${phase}`);
  if (gateway.selfTestHeldAt === null)
    return skip('no test packet has come round yet; try again in a few seconds');
  const age = formatSeconds((host.now().getTime() - Date.parse(gateway.selfTestHeldAt)) / 1000);
  return pass(`test packets to this device, its network and blocked ports were refused ${age} ago`);
}
