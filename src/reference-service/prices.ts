/**
 * What this service pays a provider for a GiB of consumers' traffic. The constant is invented, so
 * that figures can be checked.
 */
export const usdcPerGib = 0.05;
