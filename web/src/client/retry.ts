import { ConnectionError, SignetError } from "./error.js";

/** How failed attempts are repeated. Times are in milliseconds. */
export interface RetryPolicy {
  /** In all, the first one included. */
  attempts: number;
  /** Before the second attempt, on average; it doubles with each. */
  minDelay: number;
  /** No computed delay is longer. */
  maxDelay: number;
  /** A Retry-After longer than this ends the call at once with the error. */
  maxWait: number;
}

/** Four attempts, about 0.2, 0.4 and 0.8 seconds apart; a Retry-After of up to 30 seconds is honoured. */
export const defaultRetry: RetryPolicy = { attempts: 4, minDelay: 200, maxDelay: 5000, maxWait: 30_000 };

/**
 * delay returns how long to wait after an attempt, given its number, counted from 1: half to one
 * and a half times the doubled delay, so that clients which failed together do not come back
 * together.
 */
export function delay(policy: Pick<RetryPolicy, "minDelay" | "maxDelay">, attempt: number): number {
  return Math.min(policy.minDelay * 2 ** (attempt - 1), policy.maxDelay) * (0.5 + Math.random());
}

/**
 * again returns the wait before another attempt, or undefined where there must be none. What would
 * do something twice (`once`) is repeated only where the server says that it did nothing.
 */
export function again(policy: RetryPolicy, attempt: number, once: boolean, error: unknown): number | undefined {
  if (attempt >= policy.attempts || !temporary(error)) return undefined;
  if (once && !(error instanceof SignetError && error.status === 429)) return undefined;
  if (error instanceof SignetError && error.retryAfter !== undefined) {
    return error.retryAfter > policy.maxWait ? undefined : error.retryAfter + Math.random() * policy.minDelay;
  }
  return delay(policy, attempt);
}

/** temporary reports whether the same request may succeed later. */
function temporary(error: unknown): boolean {
  if (error instanceof SignetError) return [429, 502, 503, 504].includes(error.status);
  return error instanceof ConnectionError;
}

/** passing reports whether time may help: a stream can wait for any failure of the server's to end. */
export function passing(error: unknown): boolean {
  return temporary(error) || (error instanceof SignetError && (error.status >= 500 || error.status === 408));
}

/** pause waits for so many milliseconds. It ends with the signal's reason when that is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", end, { once: true });
  });
}
