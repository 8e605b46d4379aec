import { hasCode, type TributaryError } from '../../lib/errors.ts';
import { judgeStatus } from '../../service/judge-status.ts';
import { type Finding, fail, pass } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** Reached, over TLS where that is asked for, and it is the service that answers. */
export async function lookAtService(host: DoctorHost): Promise<Finding> {
  const { base_url: baseUrl } = (await host.configuration()).config.service;
  try {
    const answer = await host.knock();
    return judge(judgeStatus({ name: 'clients', answer, secrets: [], nowMs: host.now().getTime() }), baseUrl);
  } catch (error) {
    if (!hasCode(error, 'service-unreachable')) throw error;
    return judgeUnreachable(error.message, baseUrl);
  }
}

/** Asked without a token: to be refused for that is to have reached it. */
function judge(fault: TributaryError | undefined, baseUrl: string): Finding {
  if (fault === undefined) return pass(`${baseUrl} answers`);
  switch (fault.code) {
    case 'not-authorized':
    case 'service-refused':
      return pass(`${baseUrl} answers`);
    case 'rate-limited':
      return pass(`${baseUrl} answers, and asks for patience`);
    case 'answer-redirected':
    case 'answer-not-json':
      return fail(fault.message, `Sign in to the network on the way, in a browser here: ${baseUrl}`);
    case 'operation-not-served':
      return fail(fault.message, 'Correct service.base_url: tributary config show');
    default:
      return fail(fault.message, 'Nothing on this device: wait until the service is well again');
  }
}

function judgeUnreachable(message: string, baseUrl: string): Finding {
  if (/certificate|CERT_|self.signed|altname|issuer/i.test(message)) {
    return fail(message, 'sudo apt-get install --reinstall ca-certificates');
  }
  return fail(message, `See whether anything gets there: curl -v ${baseUrl}`);
}
