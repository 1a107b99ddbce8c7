/**
 * What the service answers, read member by member.
 * @typedef {{
 *   id: string,
 *   type: string,
 *   attributes: Record<string, any>,
 *   relationships: Record<string, { data: any }>,
 * }} Resource
 * @typedef {{ data: any, meta?: { pagination: { 'next-page': number | null, 'total-count': number } } }} Answer
 */

/** At once: enough to hide the way there, and little beside what anybody else asks. */
const mostAtOnce = 4;

const mostTries = 4;

const patience = 30_000;

/** Bounds what a list of thousands costs that is wanted whole. */
const mostPages = 5;

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A request that was not answered as hoped; its message is for people. */
export class Refused extends Error {
  /**
   * @param {number} status 0 where there was no answer.
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** @type {Readonly<Record<number, string>>} */
const inWords = {
  0: 'The service did not respond. Check the network and whether the service is running.',
  401: 'The service rejected this token. It is mistyped, expired or revoked.',
  404: 'Not found, or not accessible with this token.',
  429: 'Too many requests with this token. Wait a moment.',
  503: 'The service is unavailable. Try again later.',
};

/** Reads from the service with one token, which it holds and nobody else does. */
export class Client {
  /** @type {string | undefined} */
  #token;
  #ended = new AbortController();
  #running = 0;
  /** @type {(() => void)[]} */
  #waiting = [];
  #quietUntil = 0;

  /** @param {string} token */
  constructor(token) {
    this.#token = token;
  }

  /** Forgets the token; what is under way is cut off. */
  forget() {
    this.#token = undefined;
    this.#ended.abort();
  }

  /**
   * Throws `Refused`, or an `AbortError` when nobody waits for it any longer.
   * @param {string} path Relative to this page, so that it works wherever the service is mounted.
   * @param {AbortSignal} signal
   * @returns {Promise<Answer>}
   */
  async get(path, signal) {
    const wanted = AbortSignal.any([signal, this.#ended.signal]);
    await this.#turn();
    try {
      for (let left = mostTries - 1; ; left -= 1) {
        await this.#quiet(wanted);
        const answer = await this.#ask(path, wanted);
        this.#heed(answer);
        if (answer.ok) return await answer.json();
        if (answer.status !== 429 || left === 0) throw refusal(answer);
      }
    } catch (error) {
      wanted.throwIfAborted();
      throw error instanceof Refused ? error : new Refused(0, inWords[0] ?? '');
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /**
   * @param {string} path
   * @param {AbortSignal} wanted
   */
  #ask(path, wanted) {
    return fetch(path, {
      headers: { Authorization: `Bearer ${this.#token}` },
      signal: AbortSignal.any([wanted, AbortSignal.timeout(patience)]),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    });
  }

  async #turn() {
    if (this.#running < mostAtOnce) this.#running += 1;
    else await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)));
  }

  /** @param {AbortSignal} wanted */
  async #quiet(wanted) {
    for (let left = this.#quietUntil - performance.now(); left > 0; left = this.#quietUntil - performance.now()) {
      await pause(left);
    }
    wanted.throwIfAborted();
  }

  /**
   * Stays below the limit of requests, so that other users of the token are not refused because of this page.
   * @param {Response} answer
   */
  #heed({ status, headers }) {
    const remaining = headers.get('X-RateLimit-Remaining');
    if (status === 429 || (remaining !== null && Number(remaining) < mostAtOnce)) {
      const seconds = Number(headers.get('Retry-After') ?? headers.get('X-RateLimit-Reset')) || 1;
      this.#quietUntil = Math.max(this.#quietUntil, performance.now() + seconds * 1000 + 20);
    }
  }
}

/** @param {Response} answer */
function refusal({ status, headers }) {
  const words = inWords[status] ?? `The service responded with ${status}.`;
  const id = headers.get('X-Request-Id');
  return new Refused(status, status >= 500 && id !== null ? `${words} Request id: ${id}.` : words);
}

/** A list that is read page by page, as far as somebody wants it. */
export class Pages {
  /** @type {Resource[]} */
  items = [];
  total = 0;
  /** @type {number | null} */
  #next = 1;
  /** @type {Promise<void> | undefined} */
  #reading;

  /**
   * @param {Client} client
   * @param {string} path
   * @param {AbortSignal} signal
   * @param {number} size
   */
  constructor(client, path, signal, size) {
    this.client = client;
    this.path = path;
    this.signal = signal;
    this.size = size;
  }

  get hasMore() {
    return this.#next !== null;
  }

  /** Reads the next page; several who want it at once get the same. */
  more() {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Reads the first page, unless that was done. */
  async begin() {
    if (this.#next === 1) await this.more();
  }

  /** Reads on to the end, or as far as anybody can look through. */
  async readMost() {
    while (this.#next !== null && this.#next <= mostPages) await this.more();
  }

  async #read() {
    // Somebody else who reads this list may have come to its end.
    if (this.#next === null) return;
    const query = `page%5Bnumber%5D=${this.#next}&page%5Bsize%5D=${this.size}`;
    const { data, meta } = await this.client.get(
      `${this.path}${this.path.includes('?') ? '&' : '?'}${query}`,
      this.signal,
    );
    this.items.push(...data);
    this.total = meta?.pagination['total-count'] ?? this.items.length;
    this.#next = meta?.pagination['next-page'] ?? null;
  }
}
