// @ts-check
// Messages as bytes, as described in `src/wire/mod.rs`, and a connection for each view.

/** @typedef {Uint8Array | Uint16Array | Uint32Array | Float32Array} Numbers */
/** @typedef {{ [name: string]: any }} Header */
/** @typedef {{ data: any, parts: { [name: string]: any } }} Reply */
/** @typedef {{ phase: string, done: number, total: number }} Progress */

const TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array };

/** @param {Numbers} part */
function kindOf(part) {
  if (part instanceof Uint8Array) return "u8";
  if (part instanceof Uint16Array) return "u16";
  return part instanceof Uint32Array ? "u32" : "f32";
}

/**
 * A frame as bytes.
 * @param {Header} header
 * @param {{ [name: string]: Numbers }} [parts]
 */
export function encode(header, parts = {}) {
  const list = Object.entries(parts);
  const named = list.map(([name, part]) => [name, kindOf(part), part.byteLength]);
  let text = JSON.stringify(list.length ? { ...header, parts: named } : header);
  let bytes = new TextEncoder().encode(text);
  if (bytes.length % 4) {
    text += " ".repeat(4 - (bytes.length % 4));
    bytes = new TextEncoder().encode(text);
  }
  const padded = list.map(([, part]) => Math.ceil(part.byteLength / 4) * 4);
  const frame = new Uint8Array(4 + bytes.length + padded.reduce((sum, size) => sum + size, 0));
  new DataView(frame.buffer).setUint32(0, bytes.length, true);
  frame.set(bytes, 4);
  let at = 4 + bytes.length;
  list.forEach(([, part], index) => {
    frame.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += padded[index];
  });
  return frame;
}

/**
 * The header and parts of a frame. Parts are views of its bytes.
 * @param {ArrayBuffer} frame
 */
export function decode(frame) {
  const length = new DataView(frame).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(frame, 4, length)));
  /** @type {{ [name: string]: Numbers }} */
  const parts = {};
  let at = 4 + length;
  for (const [name, kind, bytes] of header.parts ?? []) {
    const Type = TYPES[/** @type {keyof typeof TYPES} */ (kind)];
    parts[name] = new Type(frame, at, bytes / Type.BYTES_PER_ELEMENT);
    at += Math.ceil(bytes / 4) * 4;
  }
  return { header, parts };
}

/** What the lab answers instead of data. */
export class Refusal extends Error {
  /** @param {{ message: string, help?: string, cancelled?: boolean }} error */
  constructor(error) {
    super(error.message);
    this.help = error.help ?? "";
    this.cancelled = error.cancelled ?? false;
  }
}

/** What a request that is no longer wanted gets. */
function cancelled() {
  return new Refusal({ message: "cancelled", cancelled: true });
}

/**
 * @typedef {object} Pending
 * @property {(reply: Reply) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {((progress: Progress) => void) | undefined} onProgress
 * @property {((event: Reply) => void) | undefined} onEvent
 */

/** A connection to a scene. Requests are answered in order. Closing it cancels them. */
export class Connection {
  constructor() {
    /** @type {Map<number, Pending>} */
    this.pending = new Map();
    this.lastId = 0;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Promise<WebSocket> | null} */
    this.opening = null;
    /** @type {Map<string, { busy: boolean, next: (() => void) | null }>} */
    this.latestOf = new Map();
    this.isClosed = false;
  }

  open() {
    if (this.isClosed) return Promise.reject(cancelled());
    this.opening ??= new Promise((resolve, reject) => {
      const address = new URL("socket", document.baseURI);
      address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
      address.hash = "";
      const socket = new WebSocket(address);
      socket.binaryType = "arraybuffer";
      socket.onopen = () => (this.isClosed ? reject(cancelled()) : resolve(socket));
      socket.onmessage = (event) => this.receive(event.data);
      socket.onclose = ({ reason }) => {
        const lost = this.isClosed ? cancelled() : new Refusal(reason ? { message: reason } : {
          message: "The lab does not answer any more.",
          help: "Start `portolan lab` again and open the address that it prints.",
        });
        reject(lost);
        this.socket = null;
        this.opening = null;
        for (const { reject } of this.pending.values()) reject(lost);
        this.pending.clear();
      };
      this.socket = socket;
    });
    return this.opening;
  }

  /** Ends it for good: what waits is cancelled, and nothing is asked any more. */
  close() {
    this.isClosed = true;
    this.latestOf.clear();
    for (const { reject } of this.pending.values()) reject(cancelled());
    this.pending.clear();
    this.socket?.close();
  }

  /**
   * Asks the lab. `topic` and `do` are in the header.
   * @param {Header} header
   * @param {{ parts?: { [name: string]: Numbers }, onProgress?: (progress: Progress) => void, onEvent?: (event: Reply) => void }} [more]
   * @returns {Promise<Reply>}
   */
  async ask(header, { parts, onProgress, onEvent } = {}) {
    const socket = await this.open();
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject, onProgress, onEvent });
      socket.send(encode({ id, ...header }, parts));
    });
  }

  /**
   * Runs `work` at once, or when the last one of this key is done; of those that wait only the
   * newest is run. So dragging never piles up requests.
   * @param {string} key
   * @param {() => Promise<void>} work
   */
  latest(key, work) {
    if (this.isClosed) return;
    const state = this.latestOf.get(key) ?? { busy: false, next: null };
    this.latestOf.set(key, state);
    const run = async () => {
      state.busy = true;
      try {
        await work();
      } finally {
        state.busy = false;
        const next = state.next;
        state.next = null;
        next?.();
      }
    };
    if (state.busy) {
      state.next = () => this.latest(key, work);
    } else {
      run();
    }
  }

  /** Cancels what has been asked so far. */
  cancel() {
    // Before the socket is open, nothing has been asked.
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    this.socket.send(encode({ id: this.lastId, topic: "cancel" }));
  }

  /** @param {ArrayBuffer} bytes */
  receive(bytes) {
    const { header, parts } = decode(bytes);
    const pending = this.pending.get(header.id);
    if (!pending) return;
    if (header.progress) {
      pending.onProgress?.(header.progress);
    } else if (header.event) {
      pending.onEvent?.({ data: header.data, parts });
    } else {
      this.pending.delete(header.id);
      if (header.error) {
        pending.reject(new Refusal(header.error));
      } else {
        pending.resolve({ data: header.data, parts });
      }
    }
  }
}
