import * as z from 'zod';
import { errorObject, flag, list, number, text } from './wire.ts';

/** `provide_mode` is a number of the profile in use; the answer echoes the mode applied. */
export const setProvideRequest = z.object({ client_id: z.string(), provide_mode: z.int() });
export const setProvideResponse = z.object({ provide_mode: number, error: errorObject });

/** `device_name`: what the guest network is shown. */
export const createShareCodeRequest = z.object({ client_id: z.string(), device_name: z.string() });
export const createShareCodeResponse = z.object({ share_code: text, error: errorObject });

/** `code`: a share code or an adopt code. */
export const deviceAddRequest = z.object({ code: z.string() });
/** `code_type`: share or adopt. `associated_network_name` and `client_id` come with share codes only. */
export const deviceAddResponse = z.object({
  code_type: text,
  code: text,
  device_name: text,
  associated_network_name: text,
  client_id: text,
  duration_minutes: number,
  error: errorObject,
});

/** `pending`: the recipient has not confirmed. `network_name`: the other network. */
export const sharedDevice = z.object({
  pending: flag,
  code: text,
  device_name: text,
  client_id: text,
  network_name: text,
});
export const deviceAssociationsResponse = z.object({
  pending_adoption_devices: list(z.object({ code: text, device_name: text, duration_minutes: number })),
  incoming_shared_devices: list(sharedDevice),
  outgoing_shared_devices: list(sharedDevice),
  error: errorObject,
});
