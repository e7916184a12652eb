// Requests to the server, and the one line that says what went wrong.

const message = () => document.getElementById("message");
let hiding = 0;

/** Shows one line until the next one, or for `ms`. */
export function say(text, ms = 0) {
  const line = message();
  clearTimeout(hiding);
  line.textContent = text;
  line.hidden = !text;
  if (text && ms) hiding = setTimeout(() => say(""), ms);
}

/** The text of an answer that is not 2xx: what the server says, or the status. */
async function reason(answer) {
  try {
    return (await answer.json()).error ?? answer.statusText;
  } catch {
    return answer.statusText || `status ${answer.status}`;
  }
}

export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/** The answer as fetch() has it. Throws Refused, or the error of fetch() if there is no answer. */
export async function get(url, options) {
  const answer = await fetch(url, options);
  if (!answer.ok) throw new Refused(answer.status, await reason(answer));
  return answer;
}

export const getJson = async (url, options) => (await get(url, options)).json();
export const getText = async (url, options) => (await get(url, options)).text();

export const isAbort = (error) => error.name === "AbortError";

/** Runs `work` and shows its error as one line. */
export async function attempt(what, work) {
  try {
    return await work();
  } catch (error) {
    if (!isAbort(error)) say(`${what}: ${error instanceof Refused ? error.message : "the server does not answer"}`);
    return undefined;
  }
}

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`, 1800);
  } catch {
    say(`This browser does not let the page copy: ${text}`);
  }
}
