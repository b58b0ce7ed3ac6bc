// @ts-check
/** Requests, and the stream of one seat: dense numbers, a gap asks for the whole, the state of the connection is always told. */

export class Refused extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(body?.message || body?.error || `the server answered ${status}`);
    this.status = status;
    this.code = body?.error || "";
    this.hint = body?.hint || "";
    this.body = body;
  }
}

/** @param {string} method @param {string} path @param {any} [body] @param {AbortSignal} [signal] */
async function request(method, path, body, signal) {
  /** @type {Response} */
  let reply;
  try {
    reply = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      signal,
    });
  } catch {
    if (signal?.aborted) throw new Refused(0, { error: "dropped", message: "cancelled" });
    throw new Refused(0, { error: "offline", message: "the server cannot be reached" });
  }
  const text = await reply.text();
  let value = null;
  try {
    value = text ? JSON.parse(text) : null;
  } catch {
    value = text;
  }
  if (!reply.ok) throw new Refused(reply.status, typeof value === "object" ? value : { message: "the server has a fault" });
  return value;
}

/** @param {string} path @param {AbortSignal} [signal] */
export const get = (path, signal) => request("GET", path, undefined, signal);
/** @param {string} path @param {any} body */
export const post = (path, body) => request("POST", path, body);

/** A random text: the same request sent twice is done once. */
export function key() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Sends with a key until there is a definite reply. @param {string} path @param {any} body */
export async function send(path, body) {
  const keyed = { key: key(), ...body };
  for (let tries = 0; ; tries++) {
    try {
      return await post(path, keyed);
    } catch (problem) {
      if (!(problem instanceof Refused) || (problem.status !== 0 && problem.status < 502) || tries >= 5) throw problem;
      await new Promise((done) => setTimeout(done, 300 * 2 ** tries * (0.5 + Math.random())));
    }
  }
}

export class Stream {
  /**
   * @param {string} game @param {string} seat
   * @param {(message: any) => boolean} apply gives false where the message does not fit
   * @param {(snapshot: any) => void} replace
   * @param {(state: string) => void} told
   */
  constructor(game, seat, apply, replace, told) {
    this.game = game;
    this.seat = seat;
    this.apply = apply;
    this.replace = replace;
    this.told = told;
    this.n = -1;
    /** @type {EventSource|null} */
    this.source = null;
    this.closed = false;
    this.tries = 0;
    this.wake = () => {
      if (document.visibilityState === "visible" && !this.closed && (!this.source || this.source.readyState === 2)) this.open();
    };
    document.addEventListener("visibilitychange", this.wake);
  }

  /** The whole, then what comes after it. */
  async start() {
    this.told("catching up");
    const query = `?seat=${encodeURIComponent(this.seat)}`;
    const snapshot = await get(`/api/g/${this.game}/snapshot${query}`);
    if (this.closed) return;
    this.n = snapshot.n;
    this.replace(snapshot);
    this.open();
  }

  open() {
    this.source?.close();
    if (this.closed) return;
    const query = `?seat=${encodeURIComponent(this.seat)}&since=${this.n}`;
    const source = new EventSource(`/api/g/${this.game}/stream${query}`);
    this.source = source;
    source.onopen = () => {
      this.tries = 0;
      this.told("live");
    };
    source.onmessage = (event) => this.message(JSON.parse(event.data));
    source.onerror = () => {
      if (this.closed || this.source !== source) return;
      this.told("offline");
      source.close();
      const wait = Math.min(15000, 500 * 2 ** this.tries++) * (0.5 + Math.random());
      setTimeout(() => this.source === source && this.open(), wait);
    };
  }

  /** @param {any} message */
  message(message) {
    if (this.closed) return;
    if (typeof message.n !== "number") return void this.apply(message);
    if (message.n <= this.n) return;
    const next = message.n === this.n + 1;
    // Whoever draws the message already counts it.
    if (next) this.n = message.n;
    if (!next || !this.apply(message)) {
      this.source?.close();
      this.start().catch(() => this.told("offline"));
    }
  }

  close() {
    this.closed = true;
    this.source?.close();
    document.removeEventListener("visibilitychange", this.wake);
  }
}
