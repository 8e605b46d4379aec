import { orErrorObject } from './error-object.ts';
import type { Backend, Handler } from './handler.ts';

/** create-share-code: a code by which one other network may add the device. */
export function answerCreateShareCode({ associations }: Backend): Handler<'createShareCode'> {
  return ({ request, network }) =>
    orErrorObject(() => {
      const { networkId } = network;
      const offer = { networkId, clientId: request.client_id, deviceName: request.device_name };
      return { share_code: associations.createShareCode(offer).code };
    });
}
